// SPDX-License-Identifier: Apache-2.0
#include "core/model/short_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/model/shared.h"

namespace muster::core {
namespace {

using List = ShortList<int, 2>;

TEST(short_list, keeps_its_elements_when_it_outgrows_itself) {
  List list;
  for (int i = 0; i < 9; ++i) {
    list.push_back(i);
    EXPECT_EQ(list.size(), static_cast<std::size_t>(i) + 1);
  }
  EXPECT_EQ(list, (List{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  list.push_back(list.front());
  EXPECT_EQ(list.back(), 0);
}

TEST(short_list, inserts_and_erases_where_it_is_told_to) {
  List list{1, 3};
  EXPECT_EQ(*list.insert(list.begin() + 1, 2), 2);
  EXPECT_EQ(list, (List{1, 2, 3}));
  list.insert(list.end(), 4);
  EXPECT_EQ(*list.erase(list.begin()), 2);
  EXPECT_EQ(list, (List{2, 3, 4}));
  const auto is_odd = [](int each) { return each % 2 == 1; };
  list.erase(std::remove_if(list.begin(), list.end(), is_odd), list.end());
  EXPECT_EQ(list, (List{2, 4}));
}

TEST(short_list, copies_and_moves_short_and_long_ones) {
  for (const List& list : {List{}, List{1}, List{1, 2, 3, 4, 5}}) {
    List copy = list;
    EXPECT_EQ(copy, list);
    List moved = std::move(copy);
    EXPECT_EQ(moved, list);
    copy = moved;
    EXPECT_EQ(copy, list);
    moved.clear();
    EXPECT_TRUE(moved.empty());
    moved = std::move(copy);
    EXPECT_EQ(moved, list);
    moved.push_back(7);
    EXPECT_EQ(moved.size(), list.size() + 1);
  }
}

TEST(shared, is_one_value_until_somebody_edits_it) {
  const Shared<std::string> unset;
  EXPECT_FALSE(unset.is_set());
  EXPECT_EQ(*unset, "");
  Shared<std::string> first(std::string("a"));
  const Shared<std::string> second = first;
  EXPECT_EQ(&*first, &*second);
  first.edit() = "b";
  EXPECT_EQ(*first, "b");
  EXPECT_EQ(*second, "a");
  EXPECT_FALSE(first == second);
  first.edit() = "a";
  EXPECT_TRUE(first == second);
}

}  // namespace
}  // namespace muster::core
