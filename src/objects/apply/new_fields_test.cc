// SPDX-License-Identifier: Apache-2.0
#include "objects/apply/new_fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "objects/json.h"
#include "objects/kind_registry.h"

namespace muster::objects {
namespace {

// The text of what a pod's creator owns.
std::string fields_of(std::string_view pod) {
  static const KindRegistry registry = KindRegistry::built_in().must();
  const SchemaNode schema = registry.find("", "Pod")->storage_version().schema.root();
  std::string out;
  EXPECT_TRUE(append_new_fields(parse_json(pod).must(), schema, {}, out).must());
  return out;
}

std::string of_variables(std::initializer_list<std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) {
    list += fmt::format(R"({}{{"name":{},"value":"x"}})", list.empty() ? "" : ",",
                        to_json(Value::string(name)));
  }
  return fields_of(fmt::format(R"({{"spec":{{"containers":[{{"name":"c","env":[{}]}}]}}}})", list));
}

// As a set of fields writes itself: sorted and escaped.
std::string as_a_set(std::string_view text) {
  std::string out;
  FieldSet::parse(parse_json(text).must()).must().append_json(out);
  return out;
}

TEST(new_fields, are_written_as_a_set_of_them_would_be) {
  const std::string text = of_variables({"b", "a", "B", "a1", "a10", "a2", ""});
  EXPECT_EQ(text, as_a_set(text));
  EXPECT_NE(text.find(R"("k:{\"name\":\"a10\"}":{".":{},"f:name":{},"f:value":{}})"),
            std::string::npos);
}

TEST(new_fields, of_names_that_need_escapes_are_in_the_same_order) {
  for (const std::string_view odd : {"a b", "a!", "a\"", "a\\", "<a>", "a&", "\xc3\xa9", "a\t"}) {
    const std::string text = of_variables({"b", odd, "a", "a#", "a\x7f"});
    EXPECT_EQ(text, as_a_set(text)) << odd;
  }
}

TEST(new_fields, of_an_element_that_is_there_twice_are_the_element_alone) {
  const std::string text = of_variables({"a", "b", "a"});
  EXPECT_EQ(text, as_a_set(text));
  EXPECT_NE(text.find(R"("k:{\"name\":\"a\"}":{},"k:)"), std::string::npos);
}

TEST(new_fields, of_several_keys_and_of_sets_keep_their_elements) {
  const std::string text = fields_of(
      R"({"metadata":{"finalizers":["b/x","a/y"]},"spec":{"containers":[{"name":"c","ports":[
          {"containerPort":90,"protocol":"TCP"},{"containerPort":8,"protocol":"UDP"}]}]}})");
  EXPECT_EQ(text, as_a_set(text));
}

}  // namespace
}  // namespace muster::objects
