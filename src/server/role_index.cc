// SPDX-License-Identifier: Apache-2.0
#include "server/role_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "objects/metadata.h"

namespace muster::server {

using objects::View;

namespace {

constexpr std::string_view service_account_prefix = "system:serviceaccount:";

std::string place_of(std::string_view name_space, std::string_view name) {
  return fmt::format("{}/{}", name_space, name);
}

// How an identity is looked up; a service account is the user it acts as.
std::string subject_key(std::string_view kind, std::string_view name) {
  return fmt::format("{}:{}", kind == "Group" ? 'g' : 'u', name);
}

bool is_binding(std::string_view kind) {
  return kind == "RoleBinding" || kind == "ClusterRoleBinding";
}

}  // namespace

void RoleIndex::put(View object) {
  const std::string_view kind = object["kind"].string_or("");
  if (is_binding(kind)) return put_binding(object);
  if (kind != "Role" && kind != "ClusterRole") return;
  const std::string_view name_space = kind == "Role" ? objects::namespace_of(object) : "";
  roles_[place_of(name_space, objects::name_of(object))] = read_policy_rules(object["rules"]);
}

void RoleIndex::put_binding(View object) {
  const bool everywhere = object["kind"].string_or("") == "ClusterRoleBinding";
  Binding binding{
      .name_space = everywhere ? std::string() : std::string(objects::namespace_of(object)),
      .name = std::string(objects::name_of(object)),
      .role_kind = std::string(object["roleRef"]["kind"].string_or("")),
      .role_name = std::string(object["roleRef"]["name"].string_or(""))};
  const std::string key = place_of(binding.name_space, binding.name);
  erase_binding(key);
  for (const View subject : object["subjects"].elements()) {
    const std::string_view kind = subject["kind"].string_or("");
    const std::string_view name = subject["name"].string_or("");
    std::string name_space(subject["namespace"].string_or(""));
    std::string user(name);
    if (kind == "ServiceAccount") {
      if (name_space.empty()) name_space = binding.name_space;
      if (name_space.empty()) continue;
      user = fmt::format("{}{}:{}", service_account_prefix, name_space, name);
    } else if (kind != "User" && kind != "Group") {
      continue;
    }
    const std::string index = place_of(binding.name_space, subject_key(kind, user));
    by_subject_[index].try_emplace(key, binding.subjects.size());
    binding.subjects.push_back({std::string(kind), std::string(name), std::move(name_space)});
  }
  bindings_[key] = std::move(binding);
}

void RoleIndex::erase_binding(const std::string& key) {
  const auto found = bindings_.find(key);
  if (found == bindings_.end()) return;
  for (const Subject& subject : found->second.subjects) {
    const std::string user =
        subject.kind == "ServiceAccount"
            ? fmt::format("{}{}:{}", service_account_prefix, subject.name_space, subject.name)
            : subject.name;
    const auto index =
        by_subject_.find(place_of(found->second.name_space, subject_key(subject.kind, user)));
    if (index == by_subject_.end()) continue;
    index->second.erase(key);
    if (index->second.empty()) by_subject_.erase(index);
  }
  bindings_.erase(found);
}

void RoleIndex::erase(std::string_view kind, std::string_view name_space, std::string_view name) {
  const bool everywhere = kind == "ClusterRole" || kind == "ClusterRoleBinding";
  const std::string key = place_of(everywhere ? std::string_view() : name_space, name);
  if (is_binding(kind)) return erase_binding(key);
  if (kind == "Role" || kind == "ClusterRole") roles_.erase(key);
}

bool RoleIndex::visit_subject(std::string_view subject, std::string_view name_space,
                              const Visit& visit) const {
  const auto found = by_subject_.find(place_of(name_space, subject));
  if (found == by_subject_.end()) return true;
  for (const auto& [key, at] : found->second) {
    const Binding& binding = bindings_.find(key)->second;
    if (!visit(binding, binding.subjects[at])) return false;
  }
  return true;
}

bool RoleIndex::visit(const Identity& identity, std::string_view name_space,
                      const Visit& visit) const {
  const std::string user = subject_key("User", identity.name);
  std::vector<std::string_view> spaces = {""};
  if (!name_space.empty()) spaces.push_back(name_space);
  for (const std::string_view space : spaces) {
    if (!visit_subject(user, space, visit)) return false;
    for (const std::string& group : identity.groups) {
      if (!visit_subject(subject_key("Group", group), space, visit)) return false;
    }
  }
  return true;
}

const std::vector<PolicyRule>* RoleIndex::find_role(std::string_view kind,
                                                    std::string_view name_space,
                                                    std::string_view name) const {
  if (kind != "Role" && kind != "ClusterRole") return nullptr;
  if (kind == "Role" && name_space.empty()) return nullptr;
  const auto found = roles_.find(place_of(kind == "Role" ? name_space : "", name));
  return found == roles_.end() ? nullptr : &found->second;
}

const std::vector<PolicyRule>* RoleIndex::rules_for(const Binding& binding) const {
  return find_role(binding.role_kind, binding.name_space, binding.role_name);
}

bool RoleIndex::allows(const Access& access) const {
  return !visit(access.identity, access.name_space, [&](const Binding& binding, const Subject&) {
    const std::vector<PolicyRule>* rules = rules_for(binding);
    if (rules == nullptr) return true;
    return std::none_of(rules->begin(), rules->end(),
                        [&](const PolicyRule& rule) { return server::allows(rule, access); });
  });
}

std::string RoleIndex::describe(const Binding& binding, const Subject& subject) {
  const std::string who =
      subject.kind == "ServiceAccount"
          ? fmt::format("{} \"{}/{}\"", subject.kind, subject.name, subject.name_space)
          : fmt::format("{} \"{}\"", subject.kind, subject.name);
  if (binding.name_space.empty()) {
    return fmt::format("ClusterRoleBinding \"{}\" of {} \"{}\" to {}", binding.name,
                       binding.role_kind, binding.role_name, who);
  }
  return fmt::format("RoleBinding \"{}/{}\" of {} \"{}\" to {}", binding.name, binding.name_space,
                     binding.role_kind, binding.role_name, who);
}

std::string RoleIndex::missing_role(const Binding& binding) {
  const std::string_view singular = binding.role_kind == "Role" ? "role" : "clusterrole";
  return fmt::format("{}.{} \"{}\" not found", singular, rbac_group, binding.role_name);
}

Verdict RoleIndex::judge(const Access& access) const {
  Verdict verdict;
  std::vector<std::string> errors;
  visit(access.identity, access.name_space, [&](const Binding& binding, const Subject& subject) {
    const std::vector<PolicyRule>* rules = rules_for(binding);
    if (rules == nullptr) {
      std::string error = missing_role(binding);
      if (std::ranges::find(errors, error) == errors.end()) errors.push_back(std::move(error));
      return true;
    }
    for (const PolicyRule& rule : *rules) {
      if (!server::allows(rule, access)) continue;
      verdict = {true, fmt::format("RBAC: allowed by {}", describe(binding, subject))};
      return false;
    }
    return true;
  });
  if (!verdict.allowed && !errors.empty()) verdict.reason = "RBAC: " + joined_errors(errors);
  return verdict;
}

OwnedRules RoleIndex::rules_of(const Identity& identity, std::string_view name_space) const {
  OwnedRules owned;
  std::set<const Binding*> seen;  // who is bound twice by one binding has its rules once
  visit(identity, name_space, [&](const Binding& binding, const Subject&) {
    if (!seen.insert(&binding).second) return true;
    const std::vector<PolicyRule>* rules = rules_for(binding);
    if (rules == nullptr) {
      owned.errors.push_back(missing_role(binding));
    } else {
      owned.rules.insert(owned.rules.end(), rules->begin(), rules->end());
    }
    return true;
  });
  return owned;
}

std::string joined_errors(const std::vector<std::string>& errors) {
  if (errors.size() == 1) return errors.front();
  return fmt::format("[{}]", fmt::join(errors, ", "));
}

}  // namespace muster::server
