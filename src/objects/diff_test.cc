// SPDX-License-Identifier: Apache-2.0
#include "objects/diff.h"

#include <gtest/gtest.h>

#include "objects/edit.h"
#include "objects/json.h"

namespace muster::objects {
namespace {

std::vector<std::string> lines(std::string_view before, std::string_view after) {
  const Value a = parse_json(before).must();
  const Value b = parse_json(after).must();
  std::vector<std::string> out;
  for (const Difference& difference : diff(a, b)) out.push_back(difference.to_string());
  return out;
}

TEST(Diff, names_what_changed_what_went_and_what_came) {
  EXPECT_EQ(lines(R"({"spec":{"replicas":3,"image":"a"},"x":[1,2,3]})",
                  R"({"x":[1,5],"spec":{"replicas":5,"paused":true}})"),
            (std::vector<std::string>{"spec.replicas: 3 → 5", "spec.image: removed (was \"a\")",
                                      "spec.paused: added true", "x[1]: 2 → 5",
                                      "x[2]: removed (was 3)"}));
  EXPECT_EQ(lines("1", "1.0"), (std::vector<std::string>{"the value: 1 → 1.0"}));
  EXPECT_EQ(lines(R"({"a":null})", R"({})"), (std::vector<std::string>{"a: removed (was null)"}));
  EXPECT_EQ(lines(R"({"a":{}})", R"({"a":[]})"), (std::vector<std::string>{"a: {} → []"}));
}

TEST(Diff, finds_nothing_where_only_the_order_differs) {
  EXPECT_TRUE(lines(R"({"a":1,"b":{"c":2}})", R"({"b":{"c":2},"a":1})").empty());
}

TEST(Diff, stops_at_its_limit) {
  std::string text = "[0";
  for (int i = 0; i < 5000; ++i) text += ",0";
  const Value many = parse_json(text + "]").must();
  const Value none = Value::array({});
  EXPECT_EQ(diff(many, none).size(), differences_max);
  EXPECT_EQ(diff(many, none, 3).size(), 3U);
}

TEST(Diff, shortens_long_values_between_characters) {
  const Value before = Value::string("a");
  std::string longer = "x";
  for (int i = 0; i < 200; ++i) longer += "\xC3\xA9";
  const Value after = Value::string(longer);
  const std::string line = diff(before, after).front().to_string();
  EXPECT_LT(line.size(), 160U);
  EXPECT_TRUE(line.ends_with("\xC3\xA9…")) << line;
}

TEST(Diff, sees_through_an_edit_to_its_one_change) {
  const Value before = parse_json(R"({"a":{"b":[1,{"c":2}]},"d":{"e":1}})").must();
  const Value after = with(before, {"a", "b", std::size_t{1}, "c"}, Value::integer(7)).must();
  const auto found = diff(before, after);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path, "a.b[1].c");
}

}  // namespace
}  // namespace muster::objects
