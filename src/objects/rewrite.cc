// SPDX-License-Identifier: Apache-2.0
#include "objects/rewrite.h"

#include <algorithm>

namespace muster::objects {

namespace {

bool is_empty(View value) {
  if (value.is_absent() || value.is_null()) return true;
  if (value.is_string()) return value.string()->empty();
  return (value.is_array() || value.is_object()) && value.empty();
}

}  // namespace

Rewrite::Rewrite(View object) : object_(object) {
  if (!object.is_object()) return;
  const Node& node = object.node();
  members_.assign(node.members, node.members + node.size);
}

std::vector<Node::Member>::iterator Rewrite::find(std::string_view key) {
  return std::ranges::find_if(members_, [key](const Node::Member& member) {
    return std::string_view(member.key.text, member.key.size) == key;
  });
}

void Rewrite::drop(std::string_view key) {
  const auto member = find(key);
  if (member == members_.end()) return;
  members_.erase(member);
  changed_ = true;
}

void Rewrite::rename(std::string_view key, std::string_view new_key) {
  drop(new_key);
  const auto member = find(key);
  if (member == members_.end()) return;
  changed_ = true;
  if (is_empty(View(&member->value))) {
    members_.erase(member);
  } else {
    member->key = Builder::literal(new_key);
  }
}

void Rewrite::set(std::string_view key, const Node& value) {
  if (value.type == Type::absent) return drop(key);
  changed_ = true;
  const auto member = find(key);
  if (member != members_.end()) {
    member->value = value;
  } else {
    members_.push_back({Builder::literal(key), value});
  }
}

Node Rewrite::finish(Builder& builder) const {
  return changed_ ? builder.object(members_) : object_.node();
}

}  // namespace muster::objects
