// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/strategic_merge.h"

#include <fmt/format.h>

#include <utility>

#include "objects/patch/go_text.h"
#include "objects/patch/member_index.h"
#include "objects/patch/result_size.h"
#include "objects/patch/strategic_merger.h"

namespace muster::objects {

namespace {

Error not_a_list(View found) {
  return Error::invalid(
      fmt::format("expected a []interface {{}}, but received a {}", go_type(found)));
}

}  // namespace

Result<Node> StrategicMerger::merge_object(View object, View patch, PatchPlace place) {
  if (const View directive = patch[patch_directive]) {
    const std::string_view kind = directive.string_or("");
    if (kind == "delete") return builder_.object({});
    if (kind != "replace") return unknown_patch_type(patch);
    return *fresh_content(patch, Patched::kept, builder_);
  }
  const Directives directives = TRY(Directives::read(patch));
  const MemberIndex changes(patch);
  std::vector<Node::Member> members;
  members.reserve(object.size() + patch.size());
  for (std::size_t i = 0; i < object.size(); ++i) {
    const Node::Member& member = object.node().members[i];
    const std::string_view key(member.key.text, member.key.size);
    const View change = changes.find(key);
    const ListDirectives list = directives.of(key);
    const View before = directives.retains(key) ? View(&member.value) : View();
    const auto merged = TRY(merge_member(before, change, schema_.field(place, key), list));
    if (merged) members.push_back({member.key, *merged});
  }
  const MemberIndex present(object);
  for (const MemberView member : patch.members()) {
    if (is_directive(member.key) || present.position(member.key)) continue;
    const PatchField field = schema_.field(place, member.key);
    const auto made = TRY(merge_member(View(), member.value, field, directives.of(member.key)));
    if (made) members.push_back({builder_.text(member.key), *made});
  }
  return builder_.object(members);
}

Result<std::optional<Node>> StrategicMerger::merge_member(View before, View change,
                                                          const PatchField& field,
                                                          const ListDirectives& directives) {
  if (directives.order) {
    if (change && !change.is_array()) return not_a_list(change);
    if (before && !before.is_array()) return not_a_list(before);
    TRY(check_element_order(change, directives.order, field.merge_key));
  }
  if (change.is_null()) return std::optional<Node>();
  if (change.is_absent()) {
    const bool directed = directives.order || directives.removal;
    if (before.is_absent()) return std::optional<Node>();
    if (!directed || !before.is_array()) return std::optional<Node>(before.node());
    return std::optional<Node>(TRY(merge_list(before, View(), field, directives)));
  }
  if (before.is_object() && change.is_object() && !field.replace) {
    return std::optional<Node>(TRY(merge_object(before, change, field.below)));
  }
  if (before.is_array() && change.is_array() && field.merge) {
    return std::optional<Node>(TRY(merge_list(before, change, field, directives)));
  }
  const bool replaces = before.type() == change.type();
  return fresh_content(change, replaces ? Patched::kept : Patched::dropped, builder_);
}

Result<Value> apply_strategic_merge_patch(const Value& object, const Value& patch,
                                          const PatchSchema& schema, const PatchLimits& limits) {
  if (!object.is_object()) return Error::bad_request("invalid JSON document");
  if (patch.type() == Type::null) return object;
  if (!patch.is_object()) return Error::bad_request("invalid JSON document");
  Builder builder;
  builder.retain(object);
  const Node root =
      TRY(StrategicMerger(schema, builder).merge_object(object, patch, schema.root()));
  return within_limits(std::move(builder).finish(root), limits);
}

}  // namespace muster::objects
