// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Utf8, code_points_of_every_length_are_read) {
  EXPECT_EQ(first_code_point("a").value, 0x61U);
  EXPECT_EQ(first_code_point("\xC2\xB5s").value, 0xB5U);
  EXPECT_EQ(first_code_point("\xE2\x82\xAC").value, 0x20ACU);
  EXPECT_EQ(first_code_point("\xF4\x8F\xBF\xBF").value, 0x10FFFFU);
  EXPECT_EQ(first_code_point("\xF4\x8F\xBF\xBF").size, 4U);
}

TEST(Utf8, damage_is_told_apart) {
  for (const std::string_view text :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3", "\xE2\x82", "\xC3("}) {
    EXPECT_EQ(first_code_point(text).size, 0U);
  }
}

TEST(Utf8, repair_replaces_bytes_and_keeps_the_rest) {
  EXPECT_EQ(repaired_utf8("plain \xC2\xB5"), "plain \xC2\xB5");
  EXPECT_EQ(repaired_utf8("a\xFFz\xC3"), "a\xEF\xBF\xBDz\xEF\xBF\xBD");
  EXPECT_EQ(repaired_utf8(""), "");
}

}  // namespace
}  // namespace muster
