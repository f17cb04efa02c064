// SPDX-License-Identifier: Apache-2.0
// The rows of tests/oracle/json_path.inc were answered by k8s.io/client-go 0.36.3.
#include "objects/json_path.h"

#include <gtest/gtest.h>

#include <string>

#include "objects/json.h"
#include "objects/limits.h"
#include "tests/oracle/rows.h"

namespace muster::objects {
namespace {

constexpr std::string_view oracle_rows =
#include "tests/oracle/json_path.inc"
    ;

Value json(std::string_view text) {
  return parse_json(text).must();
}

// The objects of the table: most rows share one of a few.
Value object_named(const std::vector<Value>& rows, std::string_view name) {
  for (const Value& row : rows) {
    if (row["name"].string_or("") == name) return row.part(row["value"]);
  }
  return Value();
}

void check_row(View row, View object) {
  const View wanted = row["ours"] ? row["ours"] : row;
  const auto missing =
      row["allowMissingKeys"].boolean_or(false) ? MissingKeys::allow : MissingKeys::refuse;
  const auto path = JsonPath::parse(row["template"].string_or(""), missing);
  if (wanted["parse_error"]) {
    ASSERT_FALSE(path.has_value());
    EXPECT_EQ(path.error().message, wanted["parse_error"].string_or(""));
    return;
  }
  ASSERT_TRUE(path.has_value()) << path.error().message;
  const auto printed = path->print(object);
  if (wanted["error"]) {
    ASSERT_FALSE(printed.has_value()) << *printed;
    EXPECT_EQ(printed.error().message, wanted["error"].string_or(""));
    return;
  }
  ASSERT_TRUE(printed.has_value()) << printed.error().message;
  EXPECT_EQ(*printed, wanted["print"].string_or("?"));
}

TEST(JsonPathOracle, every_row_prints_as_in_client_go) {
  const auto rows = testing::oracle_rows_of(oracle_rows);
  for (const Value& row : rows) {
    if (!row["template"]) continue;
    SCOPED_TRACE(to_json(row));
    check_row(row, object_named(rows, row["on"].string_or("")));
  }
}

TEST(JsonPath, a_printer_column_finds_one_value_or_none) {
  const JsonPath column =
      JsonPath::parse_column(R"(.status.conditions[?(@.type=="Ready")].status)").must();
  const Value pod = json(
      R"({"status":{"conditions":[{"type":"A","status":"x"},{"type":"Ready","status":"True"}]}})");
  const std::vector<View> found = column.find(pod).must();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].string_or(""), "True");
  EXPECT_TRUE(column.find(json("{}")).must().empty());
}

TEST(JsonPath, a_relaxed_path_needs_no_braces) {
  const Value object = json(R"({"a":{"b":1}})");
  for (const std::string_view text : {"a.b", ".a.b", "{a.b}", "{.a.b}"}) {
    EXPECT_EQ(JsonPath::parse_relaxed(text).must().print(object).must(), "1") << text;
  }
  EXPECT_FALSE(JsonPath::parse_relaxed("{.a}{.b}").has_value());
  EXPECT_FALSE(JsonPath::parse_relaxed("").has_value());
}

TEST(JsonPath, a_path_is_evaluated_many_times) {
  const JsonPath path = JsonPath::parse("{.a}").must();
  EXPECT_EQ(path.print(json(R"({"a":1})")).must(), "1");
  EXPECT_EQ(path.print(json(R"({"a":"x"})")).must(), "x");
}

TEST(JsonPath, members_come_in_the_order_of_the_object) {
  const Value object = json(R"({"z":1,"a":{"name":"x"},"m":[{"name":"y"}],"name":"w"})");
  EXPECT_EQ(JsonPath::parse("{.*}").must().print(object).must(),
            R"(1 {"name":"x"} [{"name":"y"}] w)");
  EXPECT_EQ(JsonPath::parse("{..name}").must().print(object).must(), "w x y");
}

TEST(JsonPath, a_range_must_be_closed) {
  EXPECT_EQ(JsonPath::parse("{range .a[*]}{.b}").error().message,
            "unclosed range, {end} is missing");
  EXPECT_EQ(JsonPath::parse("{end}").error().message, "not in range, nothing to end");
}

TEST(JsonPath, text_depth_results_and_work_are_limited) {
  EXPECT_EQ(JsonPath::parse(std::string(json_path_bytes_max + 1, 'a')).error().code,
            ErrorCode::too_large);
  std::string ranges;
  for (std::size_t i = 0; i <= json_path_depth_max; ++i) ranges += "{range .a}";
  EXPECT_EQ(JsonPath::parse(ranges).error().code, ErrorCode::too_large);
  std::string deep = "1";
  for (int i = 0; i < 100; ++i) deep = R"({"a":)" + deep + "}";
  std::string many = "{";
  for (int i = 0; i < 20; ++i) many += "..a";
  EXPECT_EQ(JsonPath::parse(many + "}").must().print(json(deep)).error().code,
            ErrorCode::too_large);
}

}  // namespace
}  // namespace muster::objects
