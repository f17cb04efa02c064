// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "objects/json.h"

namespace muster::objects {
namespace {

std::string error_of(std::string_view text, const ParseOptions& options = {}) {
  const auto value = parse_json(text, options);
  return value ? "" : value.error().message;
}

std::string rewritten(std::string_view text) {
  return to_json(parse_json(text).must());
}

TEST(JsonRead, takes_every_kind_of_value) {
  EXPECT_EQ(rewritten(" { \"a\" : [ 1 , -2.5 , true , false , null , \"x\" ] , \"b\" : { } } \n"),
            R"({"a":[1,-2.5,true,false,null,"x"],"b":{}})");
  EXPECT_EQ(rewritten("[]"), "[]");
  EXPECT_EQ(rewritten("\"\""), "\"\"");
  EXPECT_EQ(rewritten("7"), "7");
}

TEST(JsonRead, says_where_the_text_stops_being_json) {
  EXPECT_EQ(error_of(""), "not JSON: the text is empty");
  EXPECT_EQ(error_of(" \n "), "not JSON: the text is empty");
  EXPECT_EQ(error_of("{\"a\":1,\n \"b\" 2}"), "not JSON: line 2, column 6: a colon behind the key");
  EXPECT_EQ(error_of("{\"a\":1 \"b\":2}"),
            "not JSON: line 1, column 8: a comma or a closing brace");
  EXPECT_EQ(error_of("[1 2]"), "not JSON: line 1, column 4: a comma or a closing bracket");
  EXPECT_EQ(error_of("{a:1}"), "not JSON: line 1, column 2: a key in quotes");
  EXPECT_EQ(error_of("{\"a\":1,}"), "not JSON: line 1, column 8: a key in quotes");
  EXPECT_EQ(error_of("[1,]"), "not JSON: line 1, column 4: a value");
  EXPECT_EQ(error_of("[1"),
            "not JSON: line 1, column 3: the text ends where there should be "
            "a comma or a closing bracket");
  EXPECT_EQ(error_of("{\"a\":"),
            "not JSON: line 1, column 6: the text ends where there should be a value");
  EXPECT_EQ(error_of("1 2"), "not JSON: line 1, column 3: the text goes on behind its value");
  EXPECT_EQ(error_of("[truex]"), "not JSON: line 1, column 2: a value");
  EXPECT_EQ(error_of("[nul]"), "not JSON: line 1, column 2: a value");
  EXPECT_EQ(error_of("\"abc"), "not JSON: the text ends inside a string");
  EXPECT_EQ(error_of("[\"a\nb\"]"),
            "not JSON: line 1, column 4: a control character inside a string");
  EXPECT_EQ(error_of("[\"a\", \"\xC3(\"]"), "not JSON: line 1, column 8: not UTF-8");
  EXPECT_EQ(error_of("[\"\xED\xA0\x80\"]"), "not JSON: line 1, column 3: not UTF-8");
  EXPECT_EQ(error_of("[\"\\x\"]"), "not JSON: line 1, column 3: an escape that JSON does not know");
  EXPECT_EQ(error_of("[\"\\u12g4\"]"),
            "not JSON: line 1, column 3: an escape that JSON does not know");
  EXPECT_EQ(error_of("[\xEF\xBB\xBF]"), "not JSON: line 1, column 2: a value");
}

TEST(JsonRead, refuses_what_only_looks_like_a_number) {
  for (const std::string_view text :
       {"-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1.e3", "0x10", "1_000", "1a", "1.5.2",
        "--1", "Infinity", "NaN", "-Infinity", "1\"a\"", "1/2"}) {
    EXPECT_NE(error_of(text), "") << text;
  }
}

TEST(JsonRead, keeps_integers_and_turns_larger_ones_into_reals) {
  const auto read = [](std::string_view text) { return parse_json(text).must(); };
  EXPECT_EQ(read("9223372036854775807").view().integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read("-9223372036854775808").view().integer(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(read("-0").view().integer(), 0);
  EXPECT_TRUE(read("9223372036854775808").view() == Value::real(9223372036854775808.0).view());
  EXPECT_TRUE(read("-9223372036854775809").view() == Value::real(-9223372036854775808.0).view());
  EXPECT_TRUE(read("18446744073709551616").view() == Value::real(18446744073709551616.0).view());
  EXPECT_TRUE(read("99999999999999999999999").view() == Value::real(1e23).view());
  EXPECT_TRUE(read("1e3").view() == Value::real(1000).view());
  EXPECT_TRUE(read("1.0").view() == Value::real(1).view());
  EXPECT_TRUE(read("1e-400").view() == Value::real(0).view());
  EXPECT_TRUE(read("4.9e-324").view() == Value::real(4.9e-324).view());
  EXPECT_TRUE(read("0.0e500").view() == Value::real(0).view());
}

TEST(JsonRead, refuses_numbers_beyond_a_double) {
  EXPECT_EQ(error_of("[1e400]"), "not JSON: line 1, column 2: a number that is too large");
  EXPECT_EQ(error_of("-1e99999999999999999999"),
            "not JSON: line 1, column 1: a number that is too large");
  EXPECT_EQ(error_of(std::string(400, '9')),
            "not JSON: line 1, column 1: a number that is too large");
}

TEST(JsonRead, unescapes_and_replaces_half_surrogates_as_go_does) {
  const auto text = [](std::string_view json) {
    return std::string(parse_json(json).must().view().string_or("?"));
  };
  EXPECT_EQ(text(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(text(R"("\u0041\u00e9\u20AC")"), "A\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(text(R"("\ud83d\ude00!")"), "\xF0\x9F\x98\x80!");
  EXPECT_EQ(text(R"("\ud83d")"), "\xEF\xBF\xBD");
  EXPECT_EQ(text(R"("\ud83dx")"), "\xEF\xBF\xBDx");
  EXPECT_EQ(text(R"("\ude00\ud83d\n")"), "\xEF\xBF\xBD\xEF\xBF\xBD\n");
  EXPECT_EQ(text(R"("\ud83d\ud83d\ude00")"), "\xEF\xBF\xBD\xF0\x9F\x98\x80");
  EXPECT_EQ(text(R"("\u0000")"), std::string(1, '\0'));
  for (std::size_t size = 0; size < 70; ++size) {
    const std::string words(size, 'a');
    EXPECT_EQ(text("\"" + words + "\""), words);
    EXPECT_EQ(text("\"" + words + "\\n" + words + "\"      "), words + "\n" + words);
  }
}

TEST(JsonRead, refuses_duplicate_keys_by_their_full_path) {
  EXPECT_EQ(error_of(R"({"a":1,"b":2,"a":3})"), "duplicate field \"a\"");
  EXPECT_EQ(error_of(R"({"data":{"a":1,"a":2}})"), "duplicate field \"data.a\"");
  EXPECT_EQ(error_of(R"({"spec":{"containers":[{"n":1},{"name":"a","name":"b"}]}})"),
            "duplicate field \"spec.containers[1].name\"");
  EXPECT_EQ(error_of(R"({"a":1,"\u0061":2})"), "duplicate field \"a\"");
  EXPECT_EQ(parse_json(R"({"data":{"a":1,"a":2}})").error().field, "data.a");
}

TEST(JsonRead, lets_the_last_duplicate_win_and_reports_each) {
  std::vector<std::string> duplicates;
  const ParseOptions options{.duplicate_keys = DuplicateKeys::last_wins,
                             .duplicate_fields = &duplicates};
  const Value value =
      parse_json(R"({"a":{"x":1,"x":2},"b":[{"y":1,"z":0,"y":{"y":3}}],"a":4,"a":5})", options)
          .must();
  EXPECT_EQ(to_json(value), R"({"b":[{"z":0,"y":{"y":3}}],"a":5})");
  EXPECT_EQ(duplicates, (std::vector<std::string>{"a.x", "b[0].y", "a", "a"}));
}

TEST(JsonRead, finds_duplicates_and_members_in_large_objects) {
  std::string text = "{";
  for (int i = 0; i < 10000; ++i) text += "\"key-" + std::to_string(i * 7919 % 10000) + "\":1,";
  std::string repeated = text + "\"key-77\":2}";
  text.back() = '}';
  const Value value = parse_json(text).must();
  EXPECT_EQ(value.view().size(), 10000U);
  for (int i = 0; i < 10000; ++i) {
    EXPECT_EQ(value["key-" + std::to_string(i)].integer_or(0), 1) << i;
  }
  EXPECT_TRUE(value["key-10000"].is_absent());
  EXPECT_TRUE(value[""].is_absent());
  EXPECT_EQ(error_of(repeated), "duplicate field \"key-77\"");
}

TEST(JsonRead, keeps_its_limits) {
  EXPECT_EQ(error_of("[[[1]]]", {.depth_max = 3}), "");
  const auto deep = parse_json("[[[[1]]]]", {.depth_max = 3});
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error(),
            Error::too_large("nested deeper than the limit of 3 at line 1, column 4"));
  EXPECT_EQ(parse_json(std::string(100000, '[')).error().code, ErrorCode::too_large);
  const auto large = parse_json("[1,2]", {.bytes_max = 4});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error(), Error::too_large("5 bytes of JSON are more than the limit of 4"));
}

TEST(JsonRead, a_reader_can_be_used_again_after_any_text) {
  JsonReader reader;
  const std::string large = "[" + std::string(300000, ' ') + "1]";
  EXPECT_EQ(to_json(reader.read(large).must()), "[1]");
  EXPECT_FALSE(reader.read("{\"a\":[1,"));
  EXPECT_FALSE(reader.read("{\"a\":{\"b\":1,\"b\":2}}"));
  EXPECT_EQ(to_json(reader.read("{\"a\":[1]}").must()), "{\"a\":[1]}");
}

TEST(JsonRead, keeps_no_more_memory_than_the_value_needs) {
  const std::string spacious = "{\n" + std::string(100000, ' ') + "\"a\": 1}";
  EXPECT_LT(parse_json(spacious).must().memory(), 512U);
}

}  // namespace
}  // namespace muster::objects
