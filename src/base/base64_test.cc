// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {

namespace {

TEST(Base64, the_examples_of_the_standard) {
  const std::pair<std::string, std::string> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : examples) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text).value(), bytes);
  }
}

TEST(Base64, every_byte_comes_back) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (std::size_t size = 250; size <= 256; ++size) {
    EXPECT_EQ(base64_decode(base64_encode(bytes.substr(0, size))).value(), bytes.substr(0, size));
  }
}

TEST(Base64, line_ends_are_skipped) {
  EXPECT_EQ(base64_decode("Zm9v\r\nYmFy\n").value(), "foobar");
}

TEST(Base64, what_is_not_whole_is_refused) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "=", "Zg==Zg==", "Zm9v!",
                           "Z=g=", "Zh==", "Zm9=", "Zm8=\nZ", "-_-_", "====", "Zg==="}) {
    EXPECT_FALSE(base64_decode(text)) << text;
  }
}

}  // namespace

}  // namespace muster
