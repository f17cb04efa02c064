// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/strategic_merge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "objects/json.h"
#include "tests/suites/table_patch_schema.h"

namespace muster::objects {
namespace {

Value json(std::string_view text) {
  return parse_json(text).must();
}

const TablePatchSchema& schema() {
  static const TablePatchSchema table(json(R"({"kinds":{"Pod":"Pod"},"types":{
        "Pod":{"metadata":{"type":"Meta"},"spec":{"type":"Spec"}},
        "Meta":{"finalizers":{"strategy":"merge"}},
        "Spec":{"containers":{"type":"Container","strategy":"merge","key":"name"},
                "volumes":{"strategy":"merge,retainKeys","key":"name"},
                "selector":{"strategy":"replace"},
                "strategy":{"strategy":"retainKeys"}},
        "Container":{"env":{"strategy":"merge","key":"name"}}}})"),
                                      "Pod");
  return table;
}

Result<Value> patched(std::string_view object, std::string_view patch,
                      const PatchLimits& limits = {}) {
  return apply_strategic_merge_patch(json(object), json(patch), schema(), limits);
}

std::string between(std::string_view from, std::string_view to) {
  const Value before = json(from);
  const Value after = json(to);
  const Value patch = strategic_merge_patch_between(before, after, schema());
  EXPECT_TRUE(apply_strategic_merge_patch(before, patch, schema()).must().view() == after.view())
      << to_json(patch);
  return to_json(patch);
}

TEST(StrategicMerge, shares_what_it_does_not_change) {
  const Value before =
      json(R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","env":[{"name":"x"}]},
                                                             {"name":"b"}]}})");
  const Value after =
      apply_strategic_merge_patch(
          before, json(R"({"spec":{"containers":[{"name":"b","image":"i"}]}})"), schema())
          .must();
  EXPECT_EQ(after["metadata"].node().members, before["metadata"].node().members);
  EXPECT_EQ(after["spec"]["containers"][0].node().members,
            before["spec"]["containers"][0].node().members);
  EXPECT_EQ(after["spec"]["containers"][1]["image"].string_or(""), "i");
}

TEST(StrategicMerge, keeps_the_order_of_members) {
  EXPECT_EQ(to_json(patched(R"({"z":1,"spec":{},"a":2})", R"({"b":3,"a":4,"z":null})").must()),
            R"({"spec":{},"a":4,"b":3})");
}

TEST(StrategicMerge, leaves_no_directive_in_new_content) {
  EXPECT_EQ(
      to_json(patched(R"({"spec":{"containers":[]}})",
                      R"({"spec":{"containers":[{"name":"a","$setElementOrder/env":[],"x":null}],
                                  "strategy":{"$retainKeys":["type"],"type":"Recreate"}}})")
                  .must()),
      R"({"spec":{"containers":[{"name":"a"}],"strategy":{"type":"Recreate"}}})");
}

TEST(StrategicMerge, refuses_a_list_of_objects_without_a_merge_key) {
  EXPECT_EQ(patched(R"({"metadata":{"finalizers":[{"a":1}]}})",
                    R"({"metadata":{"finalizers":[{"a":2}]}})")
                .error()
                .message,
            "cannot merge lists without merge key");
}

TEST(StrategicMerge, refuses_what_is_no_object) {
  EXPECT_EQ(patched("{}", "[]").error().code, ErrorCode::bad_request);
  EXPECT_EQ(patched("[]", "{}").error().code, ErrorCode::bad_request);
  EXPECT_EQ(to_json(patched(R"({"a":1})", "null").must()), R"({"a":1})");
}

TEST(StrategicMerge, refuses_a_result_that_is_too_large) {
  EXPECT_EQ(patched(R"({"a":"0123456789"})", R"({"b":"0123456789"})", {.result_bytes_max = 20})
                .error()
                .code,
            ErrorCode::too_large);
}

TEST(StrategicMerge, is_not_slow_on_long_lists) {
  std::string object = R"({"spec":{"containers":[)";
  std::string patch = object;
  for (int i = 0; i < 20'000; ++i) {
    object += fmt::format(R"({{"name":"c{}","image":"a"}},)", i);
    patch += fmt::format(R"({{"name":"c{}","image":"b"}},)", 29'999 - i);
  }
  object.back() = patch.back() = ']';
  const Value result = patched(object + "}}", patch + "}}").must();
  EXPECT_EQ(result["spec"]["containers"].size(), 30'000U);
}

TEST(StrategicMergeBetween, says_only_what_changed) {
  EXPECT_EQ(between(R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b"}]}})",
                    R"({"spec":{"containers":[{"name":"a","image":"2"},{"name":"b"}]}})"),
            R"({"spec":{"containers":[{"image":"2","name":"a"}],)"
            R"("$setElementOrder/containers":[{"name":"a"},{"name":"b"}]}})");
  EXPECT_EQ(between(R"({"a":1})", R"({"a":1})"), "{}");
}

TEST(StrategicMergeBetween, deletes_elements_and_scalars_by_name) {
  EXPECT_EQ(between(R"({"metadata":{"finalizers":["a","b"]}})",
                    R"({"metadata":{"finalizers":["c","b"]}})"),
            R"({"metadata":{"finalizers":["c"],"$deleteFromPrimitiveList/finalizers":["a"],)"
            R"("$setElementOrder/finalizers":["c","b"]}})");
  EXPECT_EQ(between(R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
                    R"({"spec":{"containers":[{"name":"b"}]}})"),
            R"({"spec":{"containers":[{"name":"a","$patch":"delete"}],)"
            R"("$setElementOrder/containers":[{"name":"b"}]}})");
}

TEST(StrategicMergeBetween, reorders_without_repeating_elements) {
  EXPECT_EQ(between(R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
                    R"({"spec":{"containers":[{"name":"b"},{"name":"a"}]}})"),
            R"({"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}})");
}

TEST(StrategicMergeBetween, retains_keys_where_the_schema_says_so) {
  EXPECT_EQ(between(R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{}}}})",
                    R"({"spec":{"strategy":{"type":"Recreate"}}})"),
            R"({"spec":{"strategy":{"type":"Recreate","rollingUpdate":null,)"
            R"("$retainKeys":["type"]}}})");
}

TEST(StrategicMergeBetween, replaces_the_object_around_a_list_that_cannot_merge) {
  EXPECT_EQ(between(R"({"metadata":{"finalizers":["a","a"],"name":"n"}})",
                    R"({"metadata":{"finalizers":["b"],"name":"n"}})"),
            R"({"metadata":{"$patch":"replace","finalizers":["b"],"name":"n"}})");
  EXPECT_EQ(between(R"({"spec":{"containers":[{"name":"a","env":[{"name":"x"},{"name":"x"}]}]}})",
                    R"({"spec":{"containers":[{"name":"a","env":[]}]}})"),
            R"({"spec":{"containers":[{"$patch":"replace"},{"name":"a","env":[]}]}})");
}

}  // namespace
}  // namespace muster::objects
