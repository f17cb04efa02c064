// RoleIndex: the Roles, ClusterRoles and bindings that are in force, ready to be asked who may do
// what. It keeps the rules in parsed form and the bindings by their subjects: a question looks at
// the bindings of the asker's name and groups alone.
//
//   RoleIndex roles;
//   roles.put(cluster_role); roles.put(binding);            // as objects, of any of the four kinds
//   const Verdict verdict = roles.judge(access);
//
// Assumes: one thread. Objects are valid; of others what can be read counts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "objects/value.h"
#include "server/authorizer.h"
#include "server/policy_rule.h"

namespace muster::server {

inline constexpr std::string_view rbac_group = "rbac.authorization.k8s.io";

// What somebody may do, and which roles could not be found.
struct OwnedRules {
  std::vector<PolicyRule> rules;
  std::vector<std::string> errors;
};

class RoleIndex {
 public:
  void put(objects::View object);
  void erase(std::string_view kind, std::string_view name_space, std::string_view name);

  bool allows(const Access& access) const;
  Verdict judge(const Access& access) const;

  // All rules that hold for the identity in the namespace, cluster-wide ones included.
  OwnedRules rules_of(const Identity& identity, std::string_view name_space) const;

  // The rules of a Role of the namespace or of a ClusterRole; null where there is none.
  const std::vector<PolicyRule>* find_role(std::string_view kind, std::string_view name_space,
                                           std::string_view name) const;

 private:
  struct Subject {
    std::string kind;
    std::string name;
    std::string name_space;  // of a service account
  };
  struct Binding {
    std::string name_space;  // empty: cluster-wide
    std::string name;
    std::string role_kind;
    std::string role_name;
    std::vector<Subject> subjects = {};
  };
  // Called with each binding of the identity until it returns false.
  using Visit = std::function<bool(const Binding&, const Subject&)>;

  bool visit(const Identity& identity, std::string_view name_space, const Visit& visit) const;
  bool visit_subject(std::string_view subject, std::string_view name_space,
                     const Visit& visit) const;
  const std::vector<PolicyRule>* rules_for(const Binding& binding) const;
  void put_binding(objects::View object);
  void erase_binding(const std::string& key);
  static std::string describe(const Binding& binding, const Subject& subject);
  static std::string missing_role(const Binding& binding);

  std::map<std::string, std::vector<PolicyRule>, std::less<>> roles_;  // "namespace/name", "/name"
  std::map<std::string, Binding, std::less<>> bindings_;               // likewise
  // "namespace/u:name" or "namespace/g:name" to the bindings and which subject of them it is.
  std::map<std::string, std::map<std::string, std::size_t>, std::less<>> by_subject_;
};

// `[a, b]`, or the one there is.
std::string joined_errors(const std::vector<std::string>& errors);

}  // namespace muster::server
