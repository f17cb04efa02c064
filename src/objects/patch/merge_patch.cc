// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/merge_patch.h"

#include <optional>
#include <utility>
#include <vector>

#include "objects/builder.h"
#include "objects/patch/member_index.h"
#include "objects/patch/result_size.h"

namespace muster::objects {

namespace {

// A copy of a part of the patch, without members that are null.
Node without_nulls(View view, Builder& builder) {
  if (view.is_array()) {
    const std::span<Node> room = builder.element_room(view.size());
    for (std::size_t i = 0; i < room.size(); ++i) room[i] = without_nulls(view[i], builder);
    return Builder::array_of(room);
  }
  if (!view.is_object()) return builder.copy(view);
  std::vector<Node::Member> members;
  members.reserve(view.size());
  for (const MemberView member : view.members()) {
    if (member.value.is_null()) continue;
    members.push_back({builder.text(member.key), without_nulls(member.value, builder)});
  }
  return builder.object(members);
}

Node merge(View document, View patch, Builder& builder) {
  if (!patch.is_object() || !document.is_object()) return without_nulls(patch, builder);
  const MemberIndex changes(patch);
  std::vector<Node::Member> members;
  members.reserve(document.size() + patch.size());
  for (std::size_t i = 0; i < document.size(); ++i) {
    const Node::Member& member = document.node().members[i];
    const View change = changes.find({member.key.text, member.key.size});
    if (change.is_absent()) {
      members.push_back(member);
    } else if (!change.is_null()) {
      members.push_back({member.key, merge(View(&member.value), change, builder)});
    }
  }
  const MemberIndex present(document);
  for (const MemberView member : patch.members()) {
    if (member.value.is_null() || present.position(member.key)) continue;
    members.push_back({builder.text(member.key), without_nulls(member.value, builder)});
  }
  return builder.object(members);
}

// Nothing when both are the same.
std::optional<Node> difference(View from, View to, Builder& builder) {
  if (!from.is_object() || !to.is_object()) {
    if (from == to) return std::nullopt;
    return builder.copy(to);
  }
  std::vector<Node::Member> members;
  const MemberIndex after(to);
  for (const MemberView member : from.members()) {
    const View now = after.find(member.key);
    if (now.is_absent()) {
      members.push_back({builder.text(member.key), Builder::null()});
    } else if (const auto changed = difference(member.value, now, builder)) {
      members.push_back({builder.text(member.key), *changed});
    }
  }
  const MemberIndex before(from);
  for (const MemberView member : to.members()) {
    if (before.position(member.key)) continue;
    members.push_back({builder.text(member.key), builder.copy(member.value)});
  }
  if (members.empty()) return std::nullopt;
  return builder.object(members);
}

}  // namespace

Result<Value> apply_merge_patch(const Value& document, const Value& patch,
                                const PatchLimits& limits) {
  if (document.type() == Type::null || document.is_absent()) {
    return Error::bad_request("Invalid JSON Document");
  }
  if (!patch.is_object() && !patch.is_array()) return Error::bad_request("Invalid JSON Patch");
  Builder builder;
  builder.retain(document);
  const Node root = merge(document, patch, builder);
  return within_limits(std::move(builder).finish(root), limits);
}

Value merge_patch_between(const Value& from, const Value& to) {
  CHECK(from.is_object() && to.is_object());
  Builder builder;
  const std::optional<Node> root = difference(from, to, builder);
  return std::move(builder).finish(root ? *root : builder.object({}));
}

}  // namespace muster::objects
