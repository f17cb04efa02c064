// SPDX-License-Identifier: Apache-2.0
#include "base/uid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace muster {
namespace {

// Plays back what a test wrote down.
class ScriptedRandom final : public Random {
 public:
  explicit ScriptedRandom(std::vector<std::uint64_t> values) : values_(std::move(values)) {}

  std::uint64_t next() override { return values_.at(next_++ % values_.size()); }
  void fill(std::span<std::byte> bytes) override {
    for (auto& b : bytes) b = static_cast<std::byte>(next());
  }
  std::size_t drawn() const { return next_; }

 private:
  std::vector<std::uint64_t> values_;
  std::size_t next_ = 0;
};

constexpr std::uint64_t top = ~std::uint64_t{0};

TEST(Uid, is_version_4_text_whatever_the_bytes_are) {
  ScriptedRandom ones({0xff});
  EXPECT_EQ(make_uid(ones), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  ScriptedRandom zeros({0});
  EXPECT_EQ(make_uid(zeros), "00000000-0000-4000-8000-000000000000");
  ScriptedRandom counting({0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb,
                           0xcc, 0xdd, 0xee, 0xff});
  EXPECT_EQ(make_uid(counting), "00112233-4455-4677-8899-aabbccddeeff");
}

TEST(Uid, suffix_reaches_the_first_and_the_last_letter) {
  // Past the uneven part, still the first letter; byte by byte.
  ScriptedRandom lowest({27, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(name_suffix(lowest), "bbbbb");
  ScriptedRandom highest({top});
  EXPECT_EQ(name_suffix(highest), "99999");
}

TEST(Uid, long_bases_are_cut_so_that_the_name_stays_a_label) {
  ScriptedRandom random({top});
  EXPECT_EQ(generate_name("train-", random), "train-99999");
  const std::string exact(58, 'a');
  EXPECT_EQ(generate_name(exact, random), exact + "99999");
  EXPECT_EQ(generate_name(exact + "bcd", random), exact + "99999");
  EXPECT_EQ(generate_name("", random), "99999");
}

TEST(Random, below_draws_again_inside_the_uneven_part) {
  // 2^64 mod 6 = 4: a draw whose scaled low half is under 4 would favour some values.
  ScriptedRandom random({0, top});
  EXPECT_EQ(random.below(6), 5U);
  EXPECT_EQ(random.drawn(), 2U);
}

TEST(Random, below_a_power_of_two_never_draws_twice) {
  ScriptedRandom random({0, top / 2 + 1, top});
  EXPECT_EQ(random.below(1ULL << 63), 0U);
  EXPECT_EQ(random.below(4), 2U);
  EXPECT_EQ(random.below(1), 0U);
  EXPECT_EQ(random.drawn(), 3U);
}

TEST(Random, below_the_greatest_bound_keeps_the_order_of_draws) {
  ScriptedRandom random({top, top / 2});
  EXPECT_EQ(random.below(top), top - 1);
  EXPECT_LT(random.below(top), top / 2 + 1);
}

}  // namespace
}  // namespace muster
