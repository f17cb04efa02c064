// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "objects/json.h"

namespace muster::objects {
namespace {

TEST(JsonWrite, escapes_what_gos_encoder_escapes) {
  EXPECT_EQ(to_json(Value::string("a\"b\\c/d")), R"("a\"b\\c/d")");
  EXPECT_EQ(to_json(Value::string("\b\f\n\r\t\x01\x1f\x7f")),
            "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
  EXPECT_EQ(to_json(Value::string("<a href=\"x\">&</a>")),
            R"("\u003ca href=\"x\"\u003e\u0026\u003c/a\u003e")");
  EXPECT_EQ(to_json(Value::string("\xE2\x80\xA8\xE2\x80\xA9\xE2\x82\xAC\xC3\xA9")),
            "\"\\u2028\\u2029\xE2\x82\xAC\xC3\xA9\"");
  EXPECT_EQ(to_json(Value::string(std::string_view("\0", 1))), R"("\u0000")");
  for (std::size_t size = 0; size < 70; ++size) {
    const std::string words(size, 'a');
    EXPECT_EQ(to_json(Value::string(words + "\n" + words)), "\"" + words + "\\n" + words + "\"");
    EXPECT_EQ(to_json(Value::string(words + "\xE2")), "\"" + words + "\xE2\"");
  }
}

TEST(JsonWrite, prints_integers_to_their_ends) {
  EXPECT_EQ(to_json(Value::integer(0)), "0");
  EXPECT_EQ(to_json(Value::integer(-9)), "-9");
  EXPECT_EQ(to_json(Value::integer(10)), "10");
  EXPECT_EQ(to_json(Value::integer(100)), "100");
  EXPECT_EQ(to_json(Value::integer(1234567)), "1234567");
  EXPECT_EQ(to_json(Value::integer(std::numeric_limits<std::int64_t>::max())),
            "9223372036854775807");
  EXPECT_EQ(to_json(Value::integer(std::numeric_limits<std::int64_t>::min())),
            "-9223372036854775808");
}

// What Go prints, with the ".0" by which a real without a fraction stays one.
TEST(JsonWrite, prints_reals_as_go_does) {
  const auto written = [](double value) { return to_json(Value::real(value)); };
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(-1.5), "-1.5");
  EXPECT_EQ(written(1e-6), "0.000001");
  EXPECT_EQ(written(1e-7), "1e-7");
  EXPECT_EQ(written(1.5e-10), "1.5e-10");
  EXPECT_EQ(written(5e-324), "5e-324");
  EXPECT_EQ(written(1e21), "1e+21");
  EXPECT_EQ(written(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(written(1), "1.0");
  EXPECT_EQ(written(-0.0), "-0.0");
  EXPECT_EQ(written(1e20), "100000000000000000000.0");
  EXPECT_EQ(written(-9223372036854775809.0), "-9223372036854776000.0");
  EXPECT_EQ(written(123456789012345678901.0), "123456789012345680000.0");
  EXPECT_EQ(written(9007199254740993.0), "9007199254740992.0");
  EXPECT_EQ(written(123456.789), "123456.789");
}

TEST(JsonWrite, indents_by_two_spaces_when_pretty) {
  const Value value = parse_json(R"({"a":{"b":[1,{"c":"d"},[]]},"e":{},"f":null})").must();
  EXPECT_EQ(to_pretty_json(value), R"({
  "a": {
    "b": [
      1,
      {
        "c": "d"
      },
      []
    ]
  },
  "e": {},
  "f": null
})");
  EXPECT_EQ(to_pretty_json(Value::integer(1)), "1");
}

TEST(JsonWrite, appends_behind_what_is_there) {
  std::string out = "data: ";
  append_json(Value::array({Value::integer(1), Value::string("x")}), out);
  append_json(Value::null(), out);
  EXPECT_EQ(out, "data: [1,\"x\"]null");
  EXPECT_EQ(to_json(Value()), "null");
}

}  // namespace
}  // namespace muster::objects
