// SPDX-License-Identifier: Apache-2.0
// The rows of tests/oracle/selector.inc were answered by k8s.io/apimachinery 0.36.3.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "objects/field_selector.h"
#include "objects/json.h"
#include "objects/label_selector.h"
#include "objects/limits.h"
#include "tests/oracle/rows.h"

namespace muster::objects {
namespace {

constexpr std::string_view oracle_rows =
#include "tests/oracle/selector.inc"
    ;

template <class Selector>
void check_row(View row, const Result<Selector>& selector, bool (*matches)(const Selector&, View)) {
  if (row["error"]) {
    ASSERT_FALSE(selector.has_value()) << selector->to_string();
    EXPECT_EQ(selector.error().message, row["error"].string_or(""));
    EXPECT_EQ(selector.error().code, ErrorCode::bad_request);
    return;
  }
  ASSERT_TRUE(selector.has_value()) << selector.error().message;
  EXPECT_EQ(selector->to_string(), row["print"].string_or("?"));
  EXPECT_EQ(matches(*selector, row["labels"]), row["match"].boolean_or(false));
}

// The fields of the oracle have dots in their names, so they are looked up whole.
bool matches_fields(const FieldSelector& selector, View fields) {
  return selector.matches_by(
      [fields](std::string_view field) { return fields[field].string_or(""); });
}

bool matches_labels(const LabelSelector& selector, View labels) {
  return selector.matches(labels);
}

TEST(SelectorOracle, every_row_reads_prints_and_matches_as_in_kubernetes) {
  for (const Value& row : testing::oracle_rows_of(oracle_rows)) {
    SCOPED_TRACE(to_json(row));
    const std::string_view text = row["text"].string_or("");
    if (row["do"].string_or("") == "field") {
      check_row(row, FieldSelector::parse(text), matches_fields);
    } else if (row["do"].string_or("") == "label") {
      check_row(row, LabelSelector::parse(text), matches_labels);
    } else {
      check_row(row, LabelSelector::of(row["object"]), matches_labels);
    }
  }
}

TEST(LabelSelector, an_absent_selector_matches_nothing_and_an_empty_one_everything) {
  EXPECT_TRUE(LabelSelector::of(View()).must().matches_nothing());
  EXPECT_FALSE(LabelSelector::of(View()).must().matches(View()));
  EXPECT_TRUE(LabelSelector().matches(View()));
  EXPECT_TRUE(LabelSelector::parse("").must().matches_everything());
}

TEST(LabelSelector, an_error_of_an_object_names_the_field) {
  const Value selector =
      parse_json(R"({"matchExpressions":[{"key":"a","operator":"Exists"},{"key":"a"}]})").must();
  EXPECT_EQ(LabelSelector::of(selector).error().field, "matchExpressions[1].operator");
  EXPECT_EQ(LabelSelector::of(parse_json(R"({"matchLabels":{"a":"-"}})").must()).error().field,
            "matchLabels[a]");
  EXPECT_EQ(LabelSelector::of(Value::integer(1)).error().code, ErrorCode::bad_request);
}

TEST(LabelSelector, requirements_values_and_bytes_are_limited) {
  std::string many = "a";
  for (std::size_t i = 0; i < selector_requirements_max; ++i) many += ",a";
  EXPECT_EQ(LabelSelector::parse(many).error().code, ErrorCode::too_large);
  std::string values = "a in (0";
  for (std::size_t i = 1; i <= selector_values_max; ++i) values += "," + std::to_string(i);
  EXPECT_EQ(LabelSelector::parse(values + ")").error().code, ErrorCode::too_large);
  EXPECT_EQ(LabelSelector::parse(std::string(selector_bytes_max + 1, ' ')).error().code,
            ErrorCode::too_large);
}

TEST(LabelSelector, matches_labels_that_are_kept_elsewhere) {
  const LabelSelector selector = LabelSelector::parse("a=b,!c").must();
  EXPECT_TRUE(selector.matches_by([](std::string_view key) {
    return key == "a" ? std::optional<std::string_view>("b") : std::nullopt;
  }));
}

TEST(FieldSelector, reads_paths_of_an_object) {
  const Value node =
      parse_json(R"({"metadata":{"name":"n"},"spec":{"unschedulable":true,"n":3,"r":1.5}})").must();
  const auto matches = [&node](std::string_view text) {
    return FieldSelector::parse(text).must().matches(node);
  };
  EXPECT_TRUE(matches("metadata.name=n,spec.unschedulable=true,spec.n==3,spec.r=1.5"));
  EXPECT_FALSE(matches("spec.unschedulable!=true"));
  EXPECT_TRUE(matches("spec.absent=,status.phase!=Failed,metadata="));
}

TEST(FieldSelector, refuses_fields_that_a_kind_does_not_offer) {
  const std::array<std::string_view, 2> fields = {"metadata.name", "metadata.namespace"};
  const FieldSelector selector = FieldSelector::parse("metadata.name=a,spec.foo=b").must();
  EXPECT_EQ(selector.check_supported(fields).error().message,
            "field label not supported: spec.foo");
  EXPECT_TRUE(FieldSelector::parse("metadata.name!=a").must().check_supported(fields).has_value());
  EXPECT_EQ(selector.required_value("metadata.name"), "a");
  EXPECT_EQ(selector.required_value("metadata.namespace"), std::nullopt);
}

TEST(FieldSelector, terms_and_bytes_are_limited) {
  std::string many = "a=b";
  for (std::size_t i = 0; i < selector_requirements_max; ++i) many += ",a=b";
  EXPECT_EQ(FieldSelector::parse(many).error().code, ErrorCode::too_large);
  EXPECT_EQ(FieldSelector::parse(std::string(selector_bytes_max + 1, 'a')).error().code,
            ErrorCode::too_large);
}

}  // namespace
}  // namespace muster::objects
