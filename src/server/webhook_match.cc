// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_match.h"

#include <fmt/format.h>

#include <algorithm>

#include "objects/cel/cel.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"
#include "server/superseded.h"

namespace muster::server {

using objects::LabelSelector;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view group = "admissionregistration.k8s.io";
constexpr std::int64_t timeout_seconds_default = 10;
constexpr std::int64_t timeout_seconds_max = 30;

bool lists(View list, std::string_view wanted) {
  for (View each : list.elements()) {
    const std::string_view text = each.string_or("");
    if (text == "*" || text == wanted) return true;
  }
  return false;
}

// `pods`, `pods/status`, `*/scale`, `pods/*`, `*/*`; `*` alone means no subresources.
bool matches_resource(std::string_view pattern, const Target& target) {
  const std::size_t slash = pattern.find('/');
  const std::string_view resource = pattern.substr(0, slash);
  const std::string_view subresource =
      slash == std::string_view::npos ? std::string_view() : pattern.substr(slash + 1);
  if (resource != "*" && resource != target.kind->plural) return false;
  if (subresource == "*") return slash != std::string_view::npos;
  return subresource == target.subresource;
}

bool matches_scope(std::string_view scope, const Target& target) {
  if (scope.empty() || scope == "*") return true;
  // A namespace is in the cluster's scope, although requests name it as their namespace.
  return (scope == "Namespaced") == target.is_namespaced();
}

// The version in which the webhook wants to see the object; null where the rule does not match.
const objects::KindVersion* version_for(View webhook, View rule, const Target& target) {
  if (!lists(rule["apiGroups"], target.kind->group)) return nullptr;
  bool resource_matches = false;
  for (View each : rule["resources"].elements()) {
    resource_matches = resource_matches || matches_resource(each.string_or(""), target);
  }
  if (!resource_matches || !matches_scope(rule["scope"].string_or(""), target)) return nullptr;
  if (lists(rule["apiVersions"], target.version->name)) return target.version;
  if (webhook["matchPolicy"].string_or("Equivalent") != "Equivalent") return nullptr;
  for (const objects::KindVersion& other : target.kind->versions) {
    if (other.served && lists(rule["apiVersions"], other.name)) return &other;
  }
  return nullptr;
}

const objects::KindVersion* version_for(View webhook, const Admission& admission) {
  for (View rule : webhook["rules"].elements()) {
    if (!lists(rule["operations"], name_of(admission.operation))) continue;
    const auto* version = version_for(webhook, rule, admission.target);
    if (version != nullptr) return version;
  }
  return nullptr;
}

bool selects(View selector, View labels) {
  if (selector.empty()) return true;  // absent or {}: everything
  const auto parsed = LabelSelector::of(selector);
  return parsed && parsed->matches(labels);
}

// The labels of the namespace that the object is in, or is.
Value labels_of_namespace(Context& context, const Admission& admission) {
  const Target& target = admission.target;
  const bool is_namespace = target.is("", "namespaces");
  if (is_namespace && !admission.object.is_absent() && target.subresource.empty()) {
    return admission.object.part(admission.object["metadata"]["labels"]);
  }
  const auto kind = context.registry.find_resource("", "namespaces");
  const CachedObject* found =
      context.cache.find(*kind, "", is_namespace ? target.name : target.name_space);
  if (found == nullptr) return {};
  const Value tree = context.trees.tree_of(found->bytes);
  return tree.part(tree["metadata"]["labels"]);
}

bool selectors_match(Context& context, View webhook, const Admission& admission) {
  const Target& target = admission.target;
  const View of_namespace = webhook["namespaceSelector"];
  const bool has_namespace = target.is_namespaced() || target.is("", "namespaces");
  if (has_namespace && !of_namespace.empty() &&
      !selects(of_namespace, labels_of_namespace(context, admission))) {
    return false;
  }
  const View of_object = webhook["objectSelector"];
  if (of_object.empty()) return true;
  const auto object_matches = [&](const Value& object) {
    return !object.is_absent() && selects(of_object, object["metadata"]["labels"]);
  };
  return object_matches(admission.object) || object_matches(admission.old_object);
}

}  // namespace

bool Webhook::ignores_failures() const {
  return definition["failurePolicy"].string_or("Fail") == "Ignore";
}

bool Webhook::wants_another_call() const {
  return definition["reinvocationPolicy"].string_or("Never") == "IfNeeded";
}

Span Webhook::timeout() const {
  const std::int64_t seconds = definition["timeoutSeconds"].integer_or(timeout_seconds_default);
  return Span::of_seconds(std::clamp<std::int64_t>(seconds, 1, timeout_seconds_max));
}

namespace {

// Rules of policies may also name objects.
const objects::KindVersion* version_by_rules(View resources, View rules,
                                             const Admission& admission) {
  for (View rule : rules.elements()) {
    if (!lists(rule["operations"], name_of(admission.operation))) continue;
    const auto* version = version_for(resources, rule, admission.target);
    const View names = rule["resourceNames"];
    if (version != nullptr && (names.empty() || lists(names, admission.target.name))) {
      return version;
    }
  }
  return nullptr;
}

}  // namespace

const objects::KindVersion* matching_version(Context& context, View resources,
                                             const Admission& admission) {
  if (!resources.is_object()) return admission.target.version;
  if (!selectors_match(context, resources, admission)) return nullptr;
  if (version_by_rules(resources, resources["excludeResourceRules"], admission) != nullptr) {
    return nullptr;
  }
  const View rules = resources["resourceRules"];
  if (rules.empty()) return admission.target.version;
  return version_by_rules(resources, rules, admission);
}

std::vector<Webhook> webhooks_for(Context& context, WebhookKind kind, const Admission& admission) {
  std::vector<Webhook> found;
  if (admission.target.kind->group == group) return found;
  const auto configurations = context.registry.find_resource(
      group, kind == WebhookKind::mutating ? "mutatingwebhookconfigurations"
                                           : "validatingwebhookconfigurations");
  if (configurations == nullptr) return found;
  for (const auto& [key, cached] : context.cache.all_in(*configurations, "")) {
    const Value tree = context.trees.tree_of(cached.bytes);
    for (View definition : tree["webhooks"].elements()) {
      const auto* version = version_for(definition, admission);
      if (version == nullptr || !selectors_match(context, definition, admission)) continue;
      // Nobody answers for those whose work Muster does.
      if (is_superseded_client(context, definition["clientConfig"])) continue;
      found.push_back({.configuration = tree,
                       .definition = definition,
                       .name = std::string(definition["name"].string_or("")),
                       .version = version});
    }
  }
  return found;
}

Outcome<bool> conditions_hold(const Webhook& webhook, View review_request) {
  objects::CelBudget budget;
  for (View condition : webhook.definition["matchConditions"].elements()) {
    const std::string_view expression = condition["expression"].string_or("");
    const auto program =
        TRY(objects::compile_cel(expression, {.variables = {"object", "oldObject", "request"}}));
    const View values[] = {review_request["object"], review_request["oldObject"], review_request};
    const Value holds = TRY(program.evaluate(values, budget));
    if (!holds.view().boolean_or(false)) return false;
  }
  return true;
}

}  // namespace muster::server
