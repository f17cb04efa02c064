// SPDX-License-Identifier: Apache-2.0
#include "core/index_set.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace muster::core {
namespace {

TEST(IndexSet, writes_runs_as_kubernetes_does) {
  IndexSet set;
  for (const std::int64_t index : {7, 3, 1, 4, 8, 5}) set.add(index);
  EXPECT_EQ(set.to_string(), "1,3-5,7,8");
  EXPECT_EQ(set.count(), 6);
  set.add(2);
  EXPECT_EQ(set.to_string(), "1-5,7,8");
  EXPECT_TRUE(set.has(5));
  EXPECT_FALSE(set.has(6));
}

TEST(IndexSet, reads_what_it_wrote_and_passes_over_nonsense) {
  EXPECT_EQ(IndexSet::parse("1,3-5,7,8", 100).to_string(), "1,3-5,7,8");
  EXPECT_EQ(IndexSet::parse("1,,x,-3,5-3,99999999999999999999,2-", 100).to_string(), "1");
  EXPECT_EQ(IndexSet::parse("3-1000000000", 6).to_string(), "3-5");
  EXPECT_EQ(IndexSet::parse("5-4,0", 1).to_string(), "0");
}

TEST(IndexSet, finds_the_lowest_indexes_that_are_missing) {
  const IndexSet set = IndexSet::parse("0,2,3", 10);
  EXPECT_EQ(set.missing(6, 10), (std::vector<std::int64_t>{1, 4, 5}));
  EXPECT_EQ(set.missing(6, 2), (std::vector<std::int64_t>{1, 4}));
  EXPECT_EQ(IndexSet().missing(0, 5), std::vector<std::int64_t>{});
}

TEST(IndexSet, joins_two_sets) {
  IndexSet set = IndexSet::parse("0-2,8", 10);
  set.add_all(IndexSet::parse("2-4,6,7", 10));
  EXPECT_EQ(set.to_string(), "0-4,6-8");
}

}  // namespace
}  // namespace muster::core
