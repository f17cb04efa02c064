// SPDX-License-Identifier: Apache-2.0
#include "server/authorization.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace muster::server {

namespace {

// Which names a rule is about.
enum class Whose : std::uint8_t { any, own };

// Spaces separate alternatives; "*" is everything.
struct Rule {
  std::string_view verbs;
  std::string_view group;
  std::string_view resources;  // with their subresources: "pods/status"
  std::string_view name_space = "*";
  Whose whose = Whose::any;
};

constexpr std::string_view reading = "get list watch";
constexpr std::string_view writing = "create update patch delete";

constexpr std::array controller_rules = {
    Rule{reading, "*", "*"},
    Rule{"update patch", "", "nodes nodes/status"},
    Rule{writing, "", "pods services configmaps events"},
    Rule{"update patch", "", "pods/status"},
    Rule{"create", "", "pods/binding bindings"},
    Rule{writing, "events.k8s.io", "events"},
    Rule{writing, "batch", "jobs"},
    Rule{"update patch", "batch", "jobs/status jobs/finalizers"},
    Rule{writing, "coordination.k8s.io", "leases"},
    Rule{writing, "kueue.x-k8s.io", "workloads"},
    Rule{"update patch", "kueue.x-k8s.io", "*"},
};

constexpr std::array node_rules = {
    Rule{reading, "", "pods services configmaps namespaces nodes"},
    Rule{reading, "node.k8s.io", "runtimeclasses"},
    Rule{"create", "", "nodes"},
    Rule{"update patch", "", "nodes nodes/status", "*", Whose::own},
    Rule{"delete", "", "pods"},
    Rule{"update patch", "", "pods/status"},
    Rule{"create update patch", "", "events"},
    Rule{"create", "coordination.k8s.io", "leases", "kube-node-lease"},
    Rule{"get update patch delete", "coordination.k8s.io", "leases", "kube-node-lease", Whose::own},
};

bool is_among(std::string_view words, std::string_view word) {
  if (words == "*") return true;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::string qualified_resource(const Access& access) {
  if (access.subresource.empty()) return std::string(access.resource);
  return fmt::format("{}/{}", access.resource, access.subresource);
}

// `own_name` is empty for who owns them all.
bool one_allows(std::span<const Rule> rules, const Access& access, std::string_view own_name) {
  const std::string resource = qualified_resource(access);
  return std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
    return is_among(rule.verbs, access.verb) && (rule.group == "*" || rule.group == access.group) &&
           is_among(rule.resources, resource) &&
           (rule.name_space == "*" || rule.name_space == access.name_space) &&
           (rule.whose == Whose::any || own_name.empty() || access.name == own_name);
  });
}

bool is_or_lies_below(std::string_view path, std::string_view root) {
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

bool is_health_path(std::string_view path) {
  return is_or_lies_below(path, "/healthz") || is_or_lies_below(path, "/livez") ||
         is_or_lies_below(path, "/readyz") || path == "/version" || path == "/version/";
}

bool is_discovery_path(std::string_view path) {
  return is_or_lies_below(path, "/api") || is_or_lies_below(path, "/apis") ||
         is_or_lies_below(path, "/openapi");
}

// The node whose identity this is; empty for everybody else.
std::string_view node_of(const Identity& identity) {
  const std::string_view name = identity.name;
  if (!name.starts_with(node_user_prefix) || !is_in_group(identity, nodes_group)) return {};
  return name.substr(node_user_prefix.size());
}

bool may_read_path(const Access& access) {
  if (access.verb != "get" && access.verb != "head") return false;
  if (is_health_path(access.path)) return true;
  return is_in_group(access.identity, authenticated_group) && is_discovery_path(access.path);
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

bool RuleAuthorizer::allows(const Access& access) const {
  const Identity& identity = access.identity;
  if (is_in_group(identity, masters_group)) return true;
  if (access.resource.empty()) return may_read_path(access);
  if (identity.name == controller_user) return one_allows(controller_rules, access, {});
  if (identity.name == agent_user) return one_allows(node_rules, access, {});
  const std::string_view node = node_of(identity);
  return !node.empty() && one_allows(node_rules, access, node);
}

bool node_may_write(const Access& access, objects::View stored) {
  const std::string_view node = node_of(access.identity);
  if (node.empty() || is_in_group(access.identity, masters_group)) return true;
  if (!access.group.empty()) return true;
  if (access.resource == "pods") return stored["spec"]["nodeName"].string_or("") == node;
  if (access.resource == "nodes") return stored["metadata"]["name"].string_or("") == node;
  return true;
}

}  // namespace muster::server
