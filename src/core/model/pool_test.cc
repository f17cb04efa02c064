// SPDX-License-Identifier: Apache-2.0
#include "core/model/pool.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster::core {
namespace {

struct Named {
  std::string name = "nobody";
};

TEST(Pool, one_that_was_never_made_reads_as_new) {
  const Pooled<Named> one;
  EXPECT_EQ(one->name, "nobody");
}

TEST(Pool, what_is_made_lies_side_by_side) {
  Pool<Named> pool;
  std::vector<Pooled<Named>> all(3);
  for (Pooled<Named>& each : all) each.make(pool).name = "somebody";
  const auto at = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(&*all[i]); };
  EXPECT_LT(at(0), at(1));
  EXPECT_EQ(at(1) - at(0), at(2) - at(1));
}

TEST(Pool, what_is_given_back_is_used_again_and_is_new) {
  Pool<Named> pool;
  Pooled<Named> one;
  one.make(pool).name = std::string(100, 'x');
  const Named* const where = &*one;
  one.reset();
  EXPECT_EQ(one->name, "nobody");
  Pooled<Named> other;
  EXPECT_EQ(&other.make(pool), where);
  EXPECT_EQ(other->name, "nobody");
}

TEST(Pool, make_keeps_what_is_there) {
  Pool<Named> pool;
  Pooled<Named> one;
  one.make(pool).name = "first";
  EXPECT_EQ(one.make(pool).name, "first");
  one.edit().name = "second";
  EXPECT_EQ(one->name, "second");
}

TEST(Pool, a_value_moves_with_its_holder) {
  Pool<Named> pool;
  std::vector<Pooled<Named>> all(100);  // more than a block
  for (std::size_t i = 0; i < all.size(); ++i) all[i].make(pool).name = std::to_string(i);
  Pooled<Named> taken = std::move(all[40]);
  EXPECT_EQ(taken->name, "40");
  EXPECT_EQ(all[40]->name, "nobody");
  all[41] = std::move(taken);
  EXPECT_EQ(all[41]->name, "40");
  EXPECT_EQ(all[42]->name, "42");
}

}  // namespace
}  // namespace muster::core
