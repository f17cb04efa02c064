// SPDX-License-Identifier: Apache-2.0
#include "objects/field_error.h"

#include <gtest/gtest.h>

#include <string>

#include "objects/json.h"

namespace muster::objects {
namespace {

TEST(FieldErrorTest, one_error_stands_alone_in_the_message) {
  FieldErrors errors;
  errors.add(FieldError::required("metadata.name", "name or generateName is required"));
  EXPECT_EQ(errors.message("ConfigMap", ""),
            "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is "
            "required");
}

TEST(FieldErrorTest, several_errors_are_joined_and_equal_ones_said_once) {
  FieldErrors errors;
  errors.add(FieldError::invalid("a", Value::string("x"), "no"));
  errors.add(FieldError::duplicate("b[1].name", Value::string("c")));
  errors.add(FieldError::duplicate("b[1].name", Value::string("c")));
  EXPECT_EQ(errors.message("Pod", "x"),
            "Pod \"x\" is invalid: [a: Invalid value: \"x\": no, b[1].name: Duplicate value: "
            "\"c\"]");
}

TEST(FieldErrorTest, bodies_read_as_kube_apiserver_prints_them) {
  const std::string choices[] = {"Always", "Never"};
  EXPECT_EQ(FieldError::not_supported("p", Value::string("Foo"), choices).body(),
            "Unsupported value: \"Foo\": supported values: \"Always\", \"Never\"");
  EXPECT_EQ(FieldError::invalid("p", Value::real(1e6), "no").body(), "Invalid value: 1e+06: no");
  EXPECT_EQ(FieldError::too_long("p", 63).body(), "Too long: may not be more than 63 bytes");
  EXPECT_EQ(FieldError::too_many("p", 3, 2).body(), "Too many: 3: must have at most 2 items");
  EXPECT_EQ(FieldError::forbidden("p", "no").body(), "Forbidden: no");
  EXPECT_EQ(FieldError::invalid("", Value::null(), "x").to_string(),
            "<nil>: Invalid value: null: x");
}

TEST(FieldErrorTest, values_print_as_go_prints_them) {
  EXPECT_EQ(go_printed(Value::string("a\"\n\x01")), R"("a\"\n\x01")");
  EXPECT_EQ(go_printed(Value::integer(70000)), "70000");
  EXPECT_EQ(go_printed(Value::real(1.5)), "1.5");
  EXPECT_EQ(go_printed(Value::real(1e20)), "1e+20");
  EXPECT_EQ(bound_text(2147483647.0), "2147483647");
  EXPECT_EQ(go_printed(Value::real(1e21)), "1e+21");
  EXPECT_EQ(go_printed(parse_json(R"({"b":"<x>","a":[true,null]})").must()),
            R"({"a":[true,null],"b":"\u003cx\u003e"})");
}

TEST(FieldErrorTest, paths_are_written_only_when_asked_for) {
  const PathFrame root;
  const PathFrame spec = root.field("spec");
  const PathFrame containers = spec.field("containers");
  const PathFrame first = containers.element(0);
  const PathFrame limits = first.field("limits");
  EXPECT_EQ(limits.map_key("cpu").to_string(), "spec.containers[0].limits[cpu]");
  EXPECT_EQ(limits.map_key("cpu").to_dotted_string(), "spec.containers[0].limits.cpu");
  EXPECT_EQ(root.to_string(), "");
}

TEST(FieldErrorTest, collecting_stops_at_the_maximum) {
  FieldErrors errors;
  for (std::size_t i = 0; i < field_errors_max + 10; ++i) errors.add(FieldError::required("a"));
  EXPECT_EQ(errors.size(), field_errors_max);
}

TEST(FieldErrorTest, causes_carry_reason_message_and_field) {
  FieldErrors errors;
  errors.add(FieldError::required("spec.containers"));
  EXPECT_EQ(to_json(errors.causes()),
            R"([{"reason":"FieldValueRequired","message":"Required value","field":)"
            R"("spec.containers"}])");
}

}  // namespace
}  // namespace muster::objects
