// SPDX-License-Identifier: Apache-2.0
#include "server/authorization.h"

#include <fmt/format.h>

#include "server/default_roles.h"

namespace muster::server {

namespace {

const RoleIndex& default_roles() {
  static const RoleIndex index = [] {
    RoleIndex made;
    for (const objects::Value& object : default_policy()) made.put(object);
    return made;
  }();
  return index;
}

}  // namespace

Identity admin_identity() {
  return {.name = "system:muster:admin",
          .groups = {std::string(masters_group), std::string(authenticated_group)}};
}

Identity controller_identity() {
  return {.name = std::string(controller_user), .groups = {std::string(authenticated_group)}};
}

Identity node_identity(std::string_view node_name) {
  return {.name = std::string(node_user_prefix) + std::string(node_name),
          .groups = {std::string(nodes_group), std::string(authenticated_group)}};
}

Identity agent_identity() {
  return {.name = std::string(agent_user), .groups = {std::string(authenticated_group)}};
}

Identity anonymous_identity() {
  return {.name = std::string(anonymous_user), .groups = {std::string(unauthenticated_group)}};
}

bool RoleAuthorizer::allows(const Access& access) const {
  if (is_in_group(access.identity, masters_group)) return true;
  const std::string_view node = node_of(access.identity);
  if (!node.empty() && judge_node(access, node, scope_).allowed) return true;
  return roles_.allows(access);
}

Verdict RoleAuthorizer::judge(const Access& access) const {
  if (is_in_group(access.identity, masters_group)) return {.allowed = true};
  Verdict of_node;
  if (const std::string_view node = node_of(access.identity); !node.empty()) {
    of_node = judge_node(access, node, scope_);
    if (of_node.allowed) return of_node;
  }
  Verdict by_role = roles_.judge(access);
  if (by_role.allowed || of_node.reason.empty()) return by_role;
  if (!by_role.reason.empty()) of_node.reason += "\n" + by_role.reason;
  return of_node;
}

bool RuleAuthorizer::allows(const Access& access) const {
  return RoleAuthorizer(default_roles()).allows(access);
}

Verdict RuleAuthorizer::judge(const Access& access) const {
  return RoleAuthorizer(default_roles()).judge(access);
}

}  // namespace muster::server
