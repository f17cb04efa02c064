// What every Random promises. The bounds are so wide that a sound generator leaves them once in
// more runs than there will ever be.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/uid.h"

namespace muster::suites {

using RandomFactory = std::unique_ptr<Random> (*)();

class RandomSuite : public ::testing::TestWithParam<RandomFactory> {
 protected:
  std::unique_ptr<Random> random_ = GetParam()();
};

TEST_P(RandomSuite, values_do_not_repeat) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 10'000; ++i) seen.insert(random_->next());
  EXPECT_EQ(seen.size(), 10'000U);
}

TEST_P(RandomSuite, every_bit_is_set_half_of_the_time) {
  std::array<int, 64> set{};
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t value = random_->next();
    for (std::size_t bit = 0; bit < 64; ++bit) set[bit] += static_cast<int>(value >> bit & 1);
  }
  for (const int n : set) {
    EXPECT_GT(n, 4'500);  // ten standard deviations
    EXPECT_LT(n, 5'500);
  }
}

TEST_P(RandomSuite, fills_every_length_to_its_last_byte) {
  for (std::size_t length = 0; length < 70; ++length) {
    std::vector<std::byte> touched(length + 1);
    for (int round = 0; round < 30; ++round) {
      std::vector<std::byte> bytes(length + 1);
      random_->fill(std::span(bytes).first(length));
      for (std::size_t i = 0; i <= length; ++i) touched[i] |= bytes[i];
    }
    EXPECT_EQ(touched[length], std::byte{0}) << "wrote past the end";
    for (std::size_t i = 0; i < length; ++i) EXPECT_NE(touched[i], std::byte{0});
  }
}

TEST_P(RandomSuite, fills_more_than_the_kernel_gives_at_once) {
  std::vector<std::byte> bytes(1 << 20);
  random_->fill(bytes);
  std::uint64_t ones = 0;
  for (const std::byte b : bytes) {
    ones += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(b)));
  }
  const std::uint64_t half = bytes.size() * 4;
  EXPECT_GT(ones, half - half / 100);
  EXPECT_LT(ones, half + half / 100);
}

TEST_P(RandomSuite, below_reaches_every_value_equally_often) {
  std::array<int, 27> counts{};
  for (int i = 0; i < 27'000; ++i) ++counts.at(static_cast<std::size_t>(random_->below(27)));
  for (const int n : counts) {
    EXPECT_GT(n, 680);
    EXPECT_LT(n, 1'320);
  }
}

TEST_P(RandomSuite, uids_and_suffixes_differ) {
  std::set<std::string> uids;
  for (int i = 0; i < 1'000; ++i) uids.insert(make_uid(*random_));
  EXPECT_EQ(uids.size(), 1'000U);
  EXPECT_NE(generate_name("a-", *random_) + generate_name("a-", *random_),
            generate_name("a-", *random_) + generate_name("a-", *random_));
}

}  // namespace muster::suites
