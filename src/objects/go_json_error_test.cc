// SPDX-License-Identifier: Apache-2.0
#include "objects/go_json_error.h"

#include <gtest/gtest.h>

namespace muster::objects {
namespace {

// The sentences are those of Go 1.26's encoding/json.
TEST(GoJsonErrorTest, says_what_go_says) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"", "unexpected end of JSON input"},
      {"  ", "unexpected end of JSON input"},
      {"{\"metadata\": {", "unexpected end of JSON input"},
      {"\"open", "unexpected end of JSON input"},
      {"\"open\\", "unexpected end of JSON input"},
      {"-", "unexpected end of JSON input"},
      {"tru", "unexpected end of JSON input"},
      {"nonsense", "invalid character 'o' in literal null (expecting 'u')"},
      {"{a: 1}", "invalid character 'a' looking for beginning of object key string"},
      {"{\"a\" 1}", "invalid character '1' after object key"},
      {"{\"a\": 1 \"b\"}", "invalid character '\"' after object key:value pair"},
      {"{\"a\": 1,}", "invalid character '}' looking for beginning of object key string"},
      {"[1,]", "invalid character ']' looking for beginning of value"},
      {"[1 2]", "invalid character '2' after array element"},
      {"{} {}", "invalid character '{' after top-level value"},
      {"01", "invalid character '1' after top-level value"},
      {"-a", "invalid character 'a' in numeric literal"},
      {"1.x", "invalid character 'x' after decimal point in numeric literal"},
      {"1e+x", "invalid character 'x' in exponent of numeric literal"},
      {"\"\\q\"", "invalid character 'q' in string escape code"},
      {"\"\\u00g0\"", "invalid character 'g' in \\u hexadecimal character escape"},
      {"\"a\nb\"", "invalid character '\\n' in string literal"},
      {"\x9e\xe9", "invalid character '\\u009e' looking for beginning of value"},
      {"'a'", "invalid character '\\'' looking for beginning of value"},
  };
  for (const auto& [text, sentence] : rows) {
    const auto said = go_json_error(text);
    ASSERT_TRUE(said) << text;
    EXPECT_EQ(*said, sentence) << text;
  }
}

TEST(GoJsonErrorTest, has_nothing_to_say_about_json) {
  for (const std::string_view text :
       {"{}", "[]", " null ", "0", "-0.5e-3", "[1, {\"a\": [true, false]}, \"\\u00e9\\n\"]\n"}) {
    EXPECT_FALSE(go_json_error(text)) << text;
  }
}

}  // namespace
}  // namespace muster::objects
