// SPDX-License-Identifier: Apache-2.0
#include "base/stocked_random.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace muster {
namespace {

// Counts in bytes, so that what is handed out twice or left out shows.
class Counting final : public Random {
 public:
  std::uint64_t next() override { return 0; }
  void fill(std::span<std::byte> bytes) override {
    ++asked;
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(count++ % 251);
  }
  int asked = 0;
  std::size_t count = 0;
};

TEST(StockedRandomTest, hands_out_what_the_source_gave_once_and_asks_seldom) {
  Counting source;
  StockedRandom random(source);
  std::size_t expected = 0;
  for (int i = 0; i < 640; ++i) {  // ten stocks of 64 times 16
    std::vector<std::byte> bytes(16);
    random.fill(bytes);
    for (const std::byte byte : bytes) ASSERT_EQ(byte, static_cast<std::byte>(expected++ % 251));
  }
  EXPECT_EQ(source.asked, 10);
}

TEST(StockedRandomTest, more_than_a_stock_comes_from_the_source) {
  Counting source;
  StockedRandom random(source);
  std::vector<std::byte> bytes(2'000);
  random.fill(bytes);
  EXPECT_EQ(source.asked, 1);
  EXPECT_EQ(bytes.back(), static_cast<std::byte>(1'999 % 251));
  std::set<std::uint64_t> values;
  for (int i = 0; i < 100; ++i) values.insert(random.next());
  EXPECT_EQ(values.size(), 100U);
}

}  // namespace
}  // namespace muster
