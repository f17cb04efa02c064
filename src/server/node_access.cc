// SPDX-License-Identifier: Apache-2.0
#include "server/node_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "objects/field_selector.h"
#include "server/authorization.h"
#include "server/default_roles.h"
#include "server/policy_rule.h"
#include "server/role_index.h"

namespace muster::server {

namespace {

constexpr std::string_view lease_namespace = "kube-node-lease";

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The rules of the role system:node as it is by default: they are no object's to change.
const std::vector<PolicyRule>& node_rules() {
  static const std::vector<PolicyRule> rules = [] {
    RoleIndex index;
    for (const objects::Value& object : default_policy()) index.put(object);
    return *index.find_role("ClusterRole", "", "system:node");
  }();
  return rules;
}

Verdict by_rules(const Access& access) {
  for (const PolicyRule& rule : node_rules()) {
    if (allows(rule, access)) return {.allowed = true};
  }
  return {};
}

Verdict refused(std::string reason) {
  return {.allowed = false, .reason = std::move(reason)};
}

Verdict related(const Access& access, std::string_view node, const NodeScope* scope) {
  if (access.name.empty()) return refused("No Object name found");
  if (scope == nullptr || scope->concerns(node, access.resource, access.name_space, access.name)) {
    return {.allowed = true};
  }
  return refused(fmt::format("no relationship found between node '{}' and this object", node));
}

Verdict judge_read(const Access& access, std::string_view node, const NodeScope* scope) {
  if (!is_one_of(access.verb, {"get", "list", "watch"})) {
    return refused("can only read resources of this type");
  }
  if (!access.subresource.empty()) return refused("cannot read subresource");
  if (access.name_space.empty()) return refused("can only read namespaced object of this type");
  return related(access, node, scope);
}

Verdict judge_get(const Access& access, std::string_view node, const NodeScope* scope) {
  if (access.resource == "persistentvolumeclaims" && access.subresource == "status") {
    if (is_one_of(access.verb, {"update", "patch"})) return related(access, node, scope);
    return refused("can only get/update/patch this type");
  }
  if (access.verb != "get") return refused("can only get individual resources of this type");
  if (!access.subresource.empty()) return refused("cannot get subresource");
  return related(access, node, scope);
}

Verdict judge_service_account(const Access& access, std::string_view node, const NodeScope* scope) {
  if (access.verb == "get" && access.subresource.empty()) return judge_read(access, node, scope);
  if (access.verb != "create" || access.name.empty()) {
    return refused("can only create tokens for individual service accounts");
  }
  if (access.subresource != "token") {
    return refused("can only create token subresource of serviceaccount");
  }
  return related(access, node, scope);
}

Verdict judge_lease(const Access& access, std::string_view node) {
  if (!is_one_of(access.verb, {"get", "create", "update", "patch", "delete"})) {
    return refused("can only get, create, update, patch, or delete a node lease");
  }
  if (access.name_space != lease_namespace) {
    return refused(
        fmt::format("can only access leases in the \"{}\" system namespace", lease_namespace));
  }
  // The name of a new one is seen when the object is.
  if (access.verb != "create" && access.name != node) {
    return refused("can only access node lease with the same name as the requesting node");
  }
  return {.allowed = true};
}

Verdict judge_csi_node(const Access& access, std::string_view node) {
  if (!access.subresource.empty()) return refused("cannot authorize CSINode subresources");
  if (!is_one_of(access.verb, {"get", "create", "update", "patch", "delete"})) {
    return refused("can only get, create, update, patch, or delete a CSINode");
  }
  if (access.verb != "create" && access.name != node) {
    return refused("can only access CSINode with the same name as the requesting node");
  }
  return {.allowed = true};
}

Verdict judge_own_node(const Access& access, std::string_view node) {
  const bool reads = is_one_of(access.verb, {"get", "list", "watch"});
  if (!reads || access.name == node) return by_rules(access);
  if (access.name.empty()) {
    return refused(fmt::format("node '{}' cannot read all nodes, only its own Node object", node));
  }
  return refused(
      fmt::format("node '{}' cannot read '{}', only its own Node object", node, access.name));
}

bool selects_node(std::string_view selector, std::string_view node) {
  const auto parsed = objects::FieldSelector::parse(selector);
  return parsed && parsed->required_value("spec.nodeName") == node;
}

Verdict judge_pod(const Access& access, std::string_view node, const NodeScope* scope) {
  if (!access.subresource.empty()) return by_rules(access);
  if (access.verb == "get") return related(access, node, scope);
  if (is_one_of(access.verb, {"list", "watch"})) {
    if (selects_node(access.field_selector, node)) return {.allowed = true};
    return refused("can only list/watch pods with spec.nodeName field selector");
  }
  return by_rules(access);
}

Verdict judge_core(const Access& access, std::string_view node, const NodeScope* scope) {
  if (is_one_of(access.resource, {"secrets", "configmaps"})) return judge_read(access, node, scope);
  if (is_one_of(access.resource, {"persistentvolumeclaims", "persistentvolumes"})) {
    return judge_get(access, node, scope);
  }
  if (access.resource == "serviceaccounts") return judge_service_account(access, node, scope);
  if (access.resource == "nodes") return judge_own_node(access, node);
  if (access.resource == "pods") return judge_pod(access, node, scope);
  return by_rules(access);
}

}  // namespace

std::string_view node_of(const Identity& identity) {
  const std::string_view name = identity.name;
  if (!name.starts_with(node_user_prefix) || !is_in_group(identity, nodes_group)) return {};
  return name.substr(node_user_prefix.size());
}

Verdict judge_node(const Access& access, std::string_view node, const NodeScope* scope) {
  if (access.resource.empty()) return by_rules(access);
  if (access.group.empty()) return judge_core(access, node, scope);
  if (access.group == "coordination.k8s.io" && access.resource == "leases") {
    return judge_lease(access, node);
  }
  if (access.group == "storage.k8s.io" && access.resource == "csinodes") {
    return judge_csi_node(access, node);
  }
  if (access.group == "resource.k8s.io" && access.resource == "resourceclaims") {
    return judge_get(access, node, scope);
  }
  return by_rules(access);
}

}  // namespace muster::server
