// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "objects/builder.h"
#include "objects/json.h"
#include "objects/patch/directives.h"
#include "objects/patch/json_patch.h"
#include "objects/patch/merge_patch.h"
#include "objects/patch/strategic_merge.h"
#include "tests/suites/arbitrary_value.h"
#include "tests/suites/table_patch_schema.h"

namespace muster::objects {
namespace {

// Everything merges somewhere: names that arbitrary objects often share.
const TablePatchSchema& schema() {
  static const TablePatchSchema table(parse_json(R"({"kinds":{"Any":"Any"},"types":{
        "Any":{"list":{"type":"Any","strategy":"merge,retainKeys","key":"name"},
               "set":{"strategy":"merge"},"whole":{"strategy":"replace"},
               "union":{"type":"Any","strategy":"retainKeys"},"object":{"type":"Any"}}}})")
                                          .must(),
                                      "Any");
  return table;
}

// No null members and no directives, which patches other than JSON patches cannot write.
Value writable(const Value& value) {
  Builder builder;
  const Node root = *fresh_content(value, Patched::kept, builder);
  return std::move(builder).finish(root);
}

rc::Gen<Value> shaped_object(int depth);

rc::Gen<Value> shaped_list(int depth) {
  const auto name = rc::gen::element<std::string>("a", "b", "c", "d", "");
  const auto element = rc::gen::map(
      rc::gen::pair(name, shaped_object(depth)), [](const std::pair<std::string, Value>& named) {
        std::vector<std::pair<std::string, Value>> members = {{"name", Value::string(named.first)}};
        if (named.first.empty()) members.clear();
        for (const MemberView member : named.second.view().members()) {
          members.emplace_back(std::string(member.key), Value::copy_of(member.value));
        }
        return object_of(members);
      });
  return rc::gen::map(rc::gen::container<std::vector<Value>>(element),
                      [](const std::vector<Value>& elements) { return array_of(elements); });
}

rc::Gen<Value> shaped_set() {
  return rc::gen::map(rc::gen::container<std::vector<Value>>(rc::gen::map(
                          rc::gen::element<std::string>("x", "y", "z", "w"),
                          [](const std::string& text) { return Value::string(text); })),
                      [](const std::vector<Value>& elements) { return array_of(elements); });
}

// An object with the fields the schema has rules for, and others; now and then of odd types.
rc::Gen<Value> shaped_object(int depth) {
  if (depth <= 0) return rc::gen::just(object_of({}));
  return rc::gen::lazy([depth] {
    const auto odd = arbitrary_value(2);
    const auto member = rc::gen::weightedOneOf<std::pair<std::string, Value>>({
        {4, rc::gen::pair(rc::gen::just(std::string("list")), shaped_list(depth - 1))},
        {4, rc::gen::pair(rc::gen::just(std::string("set")), shaped_set())},
        {2, rc::gen::pair(rc::gen::just(std::string("whole")), shaped_object(depth - 1))},
        {2, rc::gen::pair(rc::gen::just(std::string("union")), shaped_object(depth - 1))},
        {2, rc::gen::pair(rc::gen::just(std::string("object")), shaped_object(depth - 1))},
        {2, rc::gen::pair(rc::gen::element<std::string>("p", "q"), odd)},
        {1, rc::gen::pair(rc::gen::element<std::string>("list", "set", "union", "object"), odd)},
    });
    return rc::gen::map(
        rc::gen::scale(0.2, rc::gen::container<std::vector<std::pair<std::string, Value>>>(member)),
        [](const std::vector<std::pair<std::string, Value>>& members) {
          return writable(object_of(members));
        });
  });
}

RC_GTEST_PROP(PatchProperty, a_json_patch_between_two_values_leads_from_one_to_the_other, ()) {
  const Value from = *rc::gen::oneOf(arbitrary_object(), arbitrary_array());
  const Value to = *rc::gen::oneOf(arbitrary_object(), arbitrary_array());
  const Value patch = json_patch_between(from, to);
  RC_ASSERT(apply_json_patch(from, patch).must().view() == to.view());
  RC_ASSERT(json_patch_between(from, from).view().empty());
}

RC_GTEST_PROP(PatchProperty, a_json_patch_between_similar_objects_leads_there_too, ()) {
  const Value from = *shaped_object(3);
  const Value to = *shaped_object(3);
  RC_ASSERT(apply_json_patch(from, json_patch_between(from, to)).must().view() == to.view());
}

RC_GTEST_PROP(PatchProperty, a_merge_patch_between_two_objects_leads_from_one_to_the_other, ()) {
  const Value from = *rc::gen::oneOf(arbitrary_object(), shaped_object(3));
  const Value to = writable(*rc::gen::oneOf(arbitrary_object(), shaped_object(3)));
  const Value patch = merge_patch_between(from, to);
  RC_ASSERT(apply_merge_patch(from, patch).must().view() == to.view());
}

RC_GTEST_PROP(PatchProperty, a_merge_patch_applied_twice_is_applied_once, ()) {
  const Value object = *arbitrary_object();
  const Value patch = *arbitrary_object();
  const Value once = apply_merge_patch(object, patch).must();
  RC_ASSERT(apply_merge_patch(once, patch).must().view() == once.view());
}

RC_GTEST_PROP(PatchProperty, a_strategic_patch_between_objects_leads_from_one_to_the_other, ()) {
  const Value from = *shaped_object(3);
  const Value to = *shaped_object(3);
  const Value patch = strategic_merge_patch_between(from, to, schema());
  const auto applied = apply_strategic_merge_patch(from, patch, schema());
  RC_LOG() << to_json(patch) << "\n" << (applied ? to_json(*applied) : applied.error().message);
  RC_ASSERT(applied.has_value());
  RC_ASSERT(applied->view() == to.view());
  RC_ASSERT(strategic_merge_patch_between(from, from, schema()).view().empty());
}

RC_GTEST_PROP(PatchProperty, a_strategic_patch_leaves_no_directive_behind, ()) {
  const Value object = *shaped_object(3);
  const Value patch = *shaped_object(3);
  const auto applied = apply_strategic_merge_patch(object, patch, schema());
  if (applied) RC_ASSERT(writable(*applied).view() == applied->view());
}

RC_GTEST_PROP(PatchProperty, limits_of_the_result_hold_for_every_patch, ()) {
  const Value from = *arbitrary_object();
  const Value to = *arbitrary_object();
  const PatchLimits limits = {.result_bytes_max = 64};
  const auto patched = apply_json_patch(from, json_patch_between(from, to), limits);
  const auto merged = apply_merge_patch(from, to, limits);
  if (patched) RC_ASSERT(to_json(*patched).size() <= limits.result_bytes_max);
  if (merged) RC_ASSERT(to_json(*merged).size() <= limits.result_bytes_max);
  if (!patched) RC_ASSERT(patched.error().code == ErrorCode::too_large);
}

}  // namespace
}  // namespace muster::objects
