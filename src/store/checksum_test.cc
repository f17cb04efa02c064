// SPDX-License-Identifier: Apache-2.0
#include "store/checksum.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace muster::store {
namespace {

// The vectors of RFC 3720, B.4.
TEST(Crc32c, matches_the_published_values) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising += c;
  EXPECT_EQ(crc32c(rising), 0x46DD794EU);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(Crc32c, is_the_same_with_and_without_the_instruction_and_in_pieces) {
  std::mt19937_64 random(1);
  // Also what is long enough for three stretches at once, and more than once.
  for (std::size_t size = 0; size < 3'000; size += size < 300 ? 1 : 97) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(random());
    EXPECT_EQ(crc32c(text), crc32c_by_table(text));
    const std::size_t cut = size == 0 ? 0 : random() % size;
    EXPECT_EQ(crc32c(text.substr(cut), crc32c(text.substr(0, cut))), crc32c(text));
  }
}

}  // namespace
}  // namespace muster::store
