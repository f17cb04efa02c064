// SPDX-License-Identifier: Apache-2.0
#include "core/model/shared_list.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace muster::core {
namespace {

using Texts = SharedList<std::string>;

TEST(SharedList, copies_are_the_same_list_and_equal_ones_are_not) {
  const Texts texts({"a", "b"});
  const Texts same = texts;
  const Texts equal({"a", "b"});
  EXPECT_TRUE(same.is(texts));
  EXPECT_FALSE(equal.is(texts));
  EXPECT_EQ(equal, texts);
  EXPECT_NE(Texts({"a"}), texts);
  EXPECT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[1], "b");
}

TEST(SharedList, the_last_holder_ends_what_it_holds) {
  const auto counted = std::make_shared<int>(1);
  {
    SharedList<std::shared_ptr<int>> first({counted, counted});
    SharedList<std::shared_ptr<int>> second = first;
    first = SharedList<std::shared_ptr<int>>();
    EXPECT_EQ(counted.use_count(), 3);
    const SharedList<std::shared_ptr<int>> third = std::move(second);
    EXPECT_EQ(counted.use_count(), 3);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(SharedList, an_empty_one_holds_nothing_and_may_be_asked_everything) {
  const Texts none;
  none.expect();
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_TRUE(none.is(Texts(Texts::List())));
}

}  // namespace
}  // namespace muster::core
