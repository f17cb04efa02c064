// PolicyRule: one rule of a Role or ClusterRole: verbs on resources of groups, perhaps of some
// names, or verbs on paths. "*" is everything; `*/scale` is that part of every resource; a path may
// end in a star.
//
//   const std::vector<PolicyRule> rules = read_policy_rules(role["rules"]);
//   if (allows(rules.front(), access)) …
//   const auto missing = not_covered(own_rules, rules);      // empty: whoever has own_rules may
//   grant
//
// Assumes: nothing about the object; what is no list of texts reads as empty.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "objects/value.h"
#include "server/authorizer.h"

namespace muster::server {

struct PolicyRule {
  std::vector<std::string> verbs = {};
  std::vector<std::string> groups = {};
  std::vector<std::string> resources = {};  // with their subresources: "pods/status"
  std::vector<std::string> resource_names = {};
  std::vector<std::string> paths = {};

  friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};

std::vector<PolicyRule> read_policy_rules(objects::View rules);
objects::Value policy_rules_value(std::span<const PolicyRule> rules);

bool allows(const PolicyRule& rule, const Access& access);

// What `asked` allows and no single rule of `owned` does, in rules of one verb, one resource and
// one name each. Stops counting at escalation_gaps_max.
std::vector<PolicyRule> not_covered(std::span<const PolicyRule> owned,
                                    std::span<const PolicyRule> asked);

// The lines in which kube-apiserver names missing rights, sorted: `{APIGroups:[""], …}`.
std::vector<std::string> describe_gaps(std::span<const PolicyRule> gaps);

// `["a" "b"]`
std::string quoted_list(std::span<const std::string> texts);

}  // namespace muster::server
