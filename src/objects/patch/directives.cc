// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/directives.h"

#include <fmt/format.h>

#include <vector>

#include "objects/patch/go_text.h"

namespace muster::objects {

bool is_directive(std::string_view key) {
  return key == patch_directive || key == retain_keys_directive ||
         key.starts_with(element_order_prefix) || key.starts_with(removal_prefix);
}

Result<Directives> Directives::read(View patch) {
  Directives directives;
  for (const MemberView member : patch.members()) {
    if (member.key == retain_keys_directive) {
      if (!member.value.is_array()) return Error::bad_request("invalid patch format of retainKeys");
      directives.retained_.emplace();
      for (const View key : member.value.elements()) {
        if (const auto text = key.string()) directives.retained_->insert(*text);
      }
    } else if (member.key.starts_with(element_order_prefix)) {
      if (!member.value.is_array()) {
        return Error::bad_request(
            fmt::format("expected a []interface {{}}, but received a {}", go_type(member.value)));
      }
      directives.lists_[member.key.substr(element_order_prefix.size())].order = member.value;
    } else if (member.key.starts_with(removal_prefix)) {
      if (!member.value.is_array()) {
        return Error::bad_request("invalid patch format of primitive list");
      }
      directives.lists_[member.key.substr(removal_prefix.size())].removal = member.value;
    }
  }
  for (const MemberView member : patch.members()) {
    if (member.value.is_null() || is_directive(member.key)) continue;
    if (!directives.retains(member.key)) {
      return Error::bad_request("invalid patch format of retainKeys");
    }
  }
  return directives;
}

ListDirectives Directives::of(std::string_view list) const {
  if (lists_.empty()) return {};
  const auto found = lists_.find(list);
  return found == lists_.end() ? ListDirectives() : found->second;
}

std::optional<Node> fresh_content(View content, Patched patched, Builder& builder) {
  if (content.is_array()) {
    std::vector<Node> elements;
    elements.reserve(content.size());
    for (const View element : content.elements()) {
      if (const auto node = fresh_content(element, patched, builder)) elements.push_back(*node);
    }
    return builder.array(elements);
  }
  if (!content.is_object()) return builder.copy(content);
  if (patched == Patched::dropped && content[patch_directive]) return std::nullopt;
  std::vector<Node::Member> members;
  members.reserve(content.size());
  for (const MemberView member : content.members()) {
    if (member.value.is_null() || is_directive(member.key)) continue;
    if (const auto node = fresh_content(member.value, patched, builder)) {
      members.push_back({builder.text(member.key), *node});
    }
  }
  return builder.object(members);
}

Error unknown_patch_type(View object) {
  return Error::invalid(fmt::format("unknown patch type: {} in map: {}",
                                    go_string(object[patch_directive]), go_text(object)));
}

}  // namespace muster::objects
