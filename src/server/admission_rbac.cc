// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "objects/builder.h"
#include "objects/rewrite.h"
#include "server/admission.h"
#include "server/policy_rule.h"

// Nobody grants what they do not have: whoever writes a role holds each of its rules, unless they
// may `escalate` roles; whoever binds a role holds its rules, unless they may `bind` it.

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

// Owners and finalizers come and go with garbage collection: who may write the object may say so.
bool changes_only_its_end(const Value& object, const Value& old) {
  if (old.is_absent()) return false;
  Builder builder;
  builder.retain(object);
  builder.retain(old);
  Rewrite metadata(object["metadata"]);
  for (const std::string_view field : {"ownerReferences", "finalizers", "managedFields"}) {
    metadata.set(field, old["metadata"][field].node());
  }
  Rewrite root(object);
  root.set("metadata", metadata.finish(builder));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node) == old;
}

bool may(const Context& context, const Admission& admission, std::string_view verb,
         std::string_view resource, std::string_view name) {
  return context.authorizer.allows({.identity = admission.identity,
                                    .verb = verb,
                                    .group = rbac_group,
                                    .resource = resource,
                                    .name_space = admission.target.name_space,
                                    .name = name});
}

Outcome<> check_owned(const Context& context, const Admission& admission,
                      std::span<const PolicyRule> rules) {
  const Identity& identity = admission.identity;
  const OwnedRules owned = context.roles.rules_of(identity, admission.target.name_space);
  const std::vector<PolicyRule> gaps = not_covered(owned.rules, rules);
  if (gaps.empty()) return {};
  std::string why = fmt::format(
      "user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
      objects::go_quoted(identity.name), quoted_list(identity.groups),
      fmt::join(describe_gaps(gaps), "\n"));
  if (!owned.errors.empty()) {
    why += fmt::format("; resolution errors: [{}]", joined_errors(owned.errors));
  }
  return forbidden(admission.target, why);
}

bool gathers(View role) {
  return !role["aggregationRule"]["clusterRoleSelectors"].empty();
}

Outcome<> check_role(const Context& context, const Admission& admission) {
  const Target& target = admission.target;
  // A new object's name is not a part of its request.
  const std::string_view name = admission.is_create() ? std::string_view() : target.name;
  if (may(context, admission, "escalate", target.kind->plural, name)) return {};
  ALLOWED(check_owned(context, admission, read_policy_rules(admission.object["rules"])));
  if (!gathers(admission.object) && !gathers(admission.old_object)) return {};
  const std::vector<PolicyRule> everything = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}},
                                              {.verbs = {"*"}, .paths = {"*"}}};
  if (check_owned(context, admission, everything)) return {};
  return forbidden(target, "must have cluster-admin privileges to use the aggregationRule");
}

Outcome<> check_binding(const Context& context, const Admission& admission) {
  const Target& target = admission.target;
  const View reference = admission.object["roleRef"];
  const std::string_view kind = reference["kind"].string_or("");
  const std::string_view name = reference["name"].string_or("");
  const std::string_view plural = kind == "Role" ? "roles" : "clusterroles";
  if (may(context, admission, "bind", plural, name)) return {};
  const std::vector<PolicyRule>* rules = context.roles.find_role(kind, target.name_space, name);
  if (rules == nullptr) return failures::not_found(target.resource(), name);
  return check_owned(context, admission, *rules);
}

}  // namespace

Outcome<> admit_rbac(Context& context, Admission& admission) {
  default_rbac(admission);
  if (!admission.errors.empty()) return {};  // a 422, whoever asks
  const std::string_view kind = admission.target.kind->kind;
  if (is_in_group(admission.identity, masters_group)) return {};
  if (changes_only_its_end(admission.object, admission.old_object)) return {};
  if (kind == "Role" || kind == "ClusterRole") return check_role(context, admission);
  return check_binding(context, admission);
}

}  // namespace muster::server
