// SPDX-License-Identifier: Apache-2.0
#include "objects/apply/field_set.h"

#include <gtest/gtest.h>

#include "objects/apply/managed_fields.h"
#include "objects/json.h"

namespace muster::objects {
namespace {

FieldSet set_of(std::string_view text) {
  return FieldSet::parse(parse_json(text).must()).must();
}

std::string text_of(const FieldSet& set) {
  std::string out;
  set.append_json(out);
  return out;
}

TEST(path_element, is_read_and_written_as_fields_v1) {
  for (const std::string_view text : {R"("f:spec")", R"("f:a\"b")", R"("k:{\"name\":\"c\"}")",
                                      R"("v:\"x\"")", R"("v:1")", R"("i:0")"}) {
    const Value serialized = parse_json(text).must();
    std::string out;
    PathElement::parse(serialized.view().string_or("")).must().append_json(out);
    EXPECT_EQ(out, text);
  }
}

TEST(path_element, sorts_its_keys) {
  const PathElement element = PathElement::parse(R"(k:{"b": 1, "a":"x"})").must();
  EXPECT_EQ(element.text, R"({"a":"x","b":1})");
  std::string out;
  element.append_for_people(out);
  EXPECT_EQ(out, R"([a="x",b=1])");
}

TEST(path_element, refuses_what_is_none) {
  for (const std::string_view text : {"", "f", "x:a", "k:{}", "k:[1]", "k:{\"a\":{}}", "v:", "v:{}",
                                      "i:", "i:x", "i:99999999999", "spec"}) {
    EXPECT_FALSE(PathElement::parse(text)) << text;
  }
}

TEST(path_element, orders_numbers_by_their_amount) {
  const auto key = [](std::string_view text) { return PathElement::parse(text).must(); };
  EXPECT_LT(key(R"(k:{"port":9})"), key(R"(k:{"port":80})"));
  EXPECT_LT(key(R"(k:{"a":"x","b":2})"), key(R"(k:{"a":"x","b":10})"));
  EXPECT_LT(key("f:z"), key(R"(k:{"a":1})"));
  EXPECT_LT(key("v:1"), key(R"(v:"a")"));
  EXPECT_LT(key(R"(v:"a")"), key("v:true"));
}

TEST(field_set, is_written_as_it_was_read_in_order) {
  const std::string_view text = R"({"f:data":{".":{},"f:a":{},"f:b":{}},"f:spec":{"f:list":)"
                                R"({"k:{\"n\":9}":{".":{},"f:n":{}},"k:{\"n\":80}":{}}}})";
  EXPECT_EQ(text_of(set_of(text)), text);
  EXPECT_EQ(text_of(set_of(R"({"f:b":{},"f:a":{}})")), R"({"f:a":{},"f:b":{}})");
}

TEST(field_set, adds_and_takes_away_paths_alone) {
  const FieldSet both = set_of(R"({"f:a":{".":{},"f:x":{}},"f:b":{}})");
  const FieldSet outer = set_of(R"({"f:a":{}})");
  EXPECT_EQ(text_of(difference(both, outer)), R"({"f:a":{"f:x":{}},"f:b":{}})");
  EXPECT_EQ(text_of(difference_below(both, outer)), R"({"f:b":{}})");
  EXPECT_EQ(text_of(intersection(both, outer)), R"({"f:a":{}})");
  EXPECT_EQ(text_of(united(set_of(R"({"f:a":{"f:x":{}},"f:b":{}})"), outer)), text_of(both));
  EXPECT_TRUE(difference(both, both).empty());
}

TEST(field_set, has_paths) {
  const FieldSet set = set_of(R"({"f:a":{"f:x":{}}})");
  const PathElement outer[] = {PathElement::field("a")};
  const PathElement inner[] = {PathElement::field("a"), PathElement::field("x")};
  EXPECT_FALSE(set.has(outer));
  EXPECT_TRUE(set.has(inner));
}

TEST(managed_fields, are_written_appliers_first_then_by_time) {
  const std::string_view text =
      R"([{"manager":"m","operation":"Apply","apiVersion":"v1","time":"2026-01-02T00:00:00Z",)"
      R"("fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}},)"
      R"({"manager":"u","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z",)"
      R"("fieldsType":"FieldsV1","fieldsV1":{"f:b":{}},"subresource":"status"}])";
  EXPECT_EQ(ManagedFields::parse(text).must().to_json(), text);
  EXPECT_EQ(ManagedFields().to_json(), "");
}

TEST(managed_fields, of_requests_can_be_reset) {
  EXPECT_TRUE(is_reset(parse_json("[{}]").must()));
  EXPECT_TRUE(is_reset(parse_json("[]").must()));
  EXPECT_FALSE(is_reset(parse_json(R"([{"manager":"m"}])").must()));
  EXPECT_FALSE(is_reset(Value()));
}

TEST(managed_fields, that_nobody_can_read_are_refused) {
  for (
      const std::string_view text :
      {R"([{}])", R"([{"operation":"Apply"}])", R"([{"operation":"Apply","apiVersion":"v1"}])",
       R"([{"operation":"X","apiVersion":"v1","fieldsType":"FieldsV1"}])",
       R"([{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"x":1}}])"}) {
    EXPECT_FALSE(ManagedFields::parse(text)) << text;
  }
}

}  // namespace
}  // namespace muster::objects
