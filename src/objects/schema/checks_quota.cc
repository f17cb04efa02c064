// SPDX-License-Identifier: Apache-2.0
// Quotas and disruption budgets.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "base/quantity.h"
#include "objects/schema/checks.h"

namespace muster::objects {

namespace {

constexpr std::string_view counted[] = {"pods",
                                        "resourcequotas",
                                        "services",
                                        "replicationcontrollers",
                                        "secrets",
                                        "configmaps",
                                        "persistentvolumeclaims",
                                        "services.nodeports",
                                        "services.loadbalancers"};
constexpr std::string_view measured[] = {"cpu",
                                         "memory",
                                         "ephemeral-storage",
                                         "requests.cpu",
                                         "requests.memory",
                                         "requests.storage",
                                         "requests.ephemeral-storage",
                                         "limits.cpu",
                                         "limits.memory",
                                         "limits.ephemeral-storage"};
constexpr std::string_view of_pods[] = {
    "pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"};
constexpr std::string_view of_claims[] = {"persistentvolumeclaims", "requests.storage"};

bool is_one_of(std::string_view name, const auto& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_quota_resource(std::string_view name) {
  return is_one_of(name, counted) || is_one_of(name, measured) || name.starts_with("hugepages-") ||
         name.starts_with("requests.hugepages-");
}

// A resource of somebody else: whole devices, so whole numbers.
bool is_extended(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.starts_with("requests.")) return false;
  return name.substr(0, slash).find("kubernetes.io") == std::string_view::npos;
}

void check_quota_name(CheckScope& scope, const std::string& place, std::string_view name) {
  const auto sentences = qualified_name_violations(name);
  scope.format(place, name, Format::qualified_name);
  if (name.find('/') != std::string_view::npos) return;
  if (sentences.empty() && !is_quota_resource(name) && name != "storage") {
    scope.invalid(place, name, "must be a standard resource type or fully qualified");
  }
  if (!is_quota_resource(name)) {
    scope.invalid(place, name, "must be a standard resource for quota");
  }
}

void check_amounts(CheckScope& scope, std::string_view list, View amounts) {
  for (MemberView entry : amounts.members()) {
    const std::string place = fmt::format("{}[{}]", list, entry.key);
    check_quota_name(scope, place, entry.key);
    const auto amount = Quantity::parse_field(entry.value.string_or(""));
    if (!amount) continue;
    if (*amount < Quantity()) {
      scope.invalid(place, entry.value, "must be greater than or equal to 0");
    }
    const bool is_whole = is_one_of(entry.key, counted) || is_extended(entry.key);
    const auto milli = amount->milli_value();
    if (is_whole && milli && *milli % 1000 != 0) {
      scope.invalid(place, entry.value, "must be an integer");
    }
  }
}

bool is_scope(std::string_view name) {
  constexpr std::string_view known[] = {"Terminating",
                                        "NotTerminating",
                                        "BestEffort",
                                        "NotBestEffort",
                                        "PriorityClass",
                                        "VolumeAttributesClass",
                                        "CrossNamespacePodAffinity"};
  return is_one_of(name, known);
}

bool scope_fits(std::string_view name, std::string_view resource) {
  if (!is_scope(name) || !is_quota_resource(resource)) return true;
  if (name == "BestEffort") return resource == "pods";
  if (name == "VolumeAttributesClass") return is_one_of(resource, of_claims);
  return is_one_of(resource, of_pods);
}

bool scopes_conflict(const std::set<std::string_view>& names, int pair) {
  return pair == 0 ? names.contains("BestEffort") && names.contains("NotBestEffort")
                   : names.contains("Terminating") && names.contains("NotTerminating");
}

void check_scopes(CheckScope& scope, View spec) {
  const View scopes = spec["scopes"];
  std::set<std::string_view> names;
  for (View each : scopes.elements()) {
    const std::string_view name = each.string_or("");
    if (!is_scope(name)) scope.invalid(".spec.scopes", scopes, "unsupported scope");
    for (MemberView hard : spec["hard"].members()) {
      if (!scope_fits(name, hard.key)) {
        scope.invalid(".spec.scopes", scopes, "unsupported scope applied to resource");
      }
    }
    names.insert(name);
  }
  for (const int pair : {0, 1}) {
    if (scopes_conflict(names, pair)) scope.invalid(".spec.scopes", scopes, "conflicting scopes");
  }
}

void check_requirement(CheckScope& scope, View requirement, std::string_view place) {
  const std::string_view name = requirement["scopeName"].string_or("");
  const std::string_view how = requirement["operator"].string_or("");
  const std::string at(place);
  if (!is_scope(name)) scope.invalid(at + ".scopeName", name, "unsupported scope");
  const bool wants_existence =
      is_scope(name) && name != "PriorityClass" && name != "VolumeAttributesClass";
  if (wants_existence && how != "Exists") {
    scope.invalid(at + ".operator", how,
                  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                  "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
                  "ResourceQuotaScopeNotBestEffort or "
                  "ResourceQuotaScopeCrossNamespacePodAffinity");
  }
  const View values = requirement["values"];
  if (how == "In" || how == "NotIn") {
    if (!values.empty()) return;
    scope.required(at + ".values",
                   "must be at least one value when `operator` is 'In' or 'NotIn' for scope "
                   "selector");
  } else if (how == "Exists" || how == "DoesNotExist") {
    if (values.empty()) return;
    scope.invalid(at + ".values", values,
                  "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope "
                  "selector");
  } else {
    scope.invalid(at + ".operator", how, "not a valid selector operator");
  }
}

void check_resource_quota(CheckScope& scope) {
  const View spec = scope["spec"];
  check_amounts(scope, ".spec.hard", spec["hard"]);
  check_scopes(scope, spec);
  for (View requirement : spec["scopeSelector"]["matchExpressions"].elements()) {
    check_requirement(scope, requirement, ".spec.scopeSelector.matchExpressions");
  }
  check_amounts(scope, ".status.hard", scope["status"]["hard"]);
  check_amounts(scope, ".status.used", scope["status"]["used"]);
  if (scope.is_create()) return;
  const auto names_of = [](View scopes) {
    std::set<std::string_view> names;
    for (View each : scopes.elements()) names.insert(each.string_or(""));
    return names;
  };
  if (names_of(spec["scopes"]) != names_of(scope.old_value()["spec"]["scopes"])) {
    scope.invalid(".spec.scopes", spec["scopes"], "field is immutable");
  }
}

// Both bounds at once; shown as Go shows the struct.
void check_disruption_budget(CheckScope& scope) {
  const auto printed = [&](std::string_view key) {
    return scope[key] ? go_printed(scope[key]) : std::string("null");
  };
  if (!scope["minAvailable"] || !scope["maxUnavailable"]) return;
  scope.invalid_printed(
      "",
      fmt::format(R"({{"MinAvailable":{},"Selector":{},"MaxUnavailable":{},)"
                  R"("UnhealthyPodEvictionPolicy":{}}})",
                  printed("minAvailable"), printed("selector"), printed("maxUnavailable"),
                  printed("unhealthyPodEvictionPolicy")),
      "minAvailable and maxUnavailable cannot be both set");
}

// Limit ranges.

bool is_container_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
         name.starts_with("hugepages-") || name.find('/') != std::string_view::npos;
}

void check_limit_names(CheckScope& scope, std::string_view list) {
  const std::string_view type = scope.text("type");
  const bool of_containers = type == "Container" || type == "Pod";
  for (MemberView entry : scope[list].members()) {
    const std::string place = fmt::format(".{}[{}]", list, entry.key);
    const bool is_named = qualified_name_violations(entry.key).empty();
    scope.format(place, entry.key, Format::qualified_name);
    if (entry.key.find('/') != std::string_view::npos) continue;
    if (is_named && !is_quota_resource(entry.key) && entry.key != "storage") {
      scope.invalid(place, entry.key, "must be a standard resource type or fully qualified");
    }
    if (of_containers && !is_container_resource(entry.key)) {
      scope.invalid(place, entry.key, "must be a standard resource for containers");
    }
  }
}

// Which amount of an item may not be above which other, and how that is said.
struct LimitOrder {
  std::string_view low;
  std::string_view high;
  std::string_view told_at;
  std::string_view shown;  // the amount of this list is the bad value
  std::string_view low_words;
  std::string_view high_words;
};
constexpr LimitOrder limit_orders[] = {
    {"min", "max", "min", "min", "min value", "max value"},
    {"min", "defaultRequest", "defaultRequest", "defaultRequest", "min value",
     "default request value"},
    {"defaultRequest", "max", "defaultRequest", "defaultRequest", "default request value",
     "max value"},
    {"defaultRequest", "default", "defaultRequest", "defaultRequest", "default request value",
     "default limit value"},
    {"min", "default", "default", "min", "min value", "default value"},
    {"default", "max", "default", "max", "default value", "max value"}};

void check_limit_orders(CheckScope& scope, std::string_view resource) {
  for (const LimitOrder& order : limit_orders) {
    const View low = scope[order.low][resource];
    const View high = scope[order.high][resource];
    const auto least = Quantity::parse_field(low.string_or(""));
    const auto most = Quantity::parse_field(high.string_or(""));
    if (!low || !high || !least || !most || !(*least > *most)) continue;
    scope.invalid(fmt::format(".{}[{}]", order.told_at, resource), scope[order.shown][resource],
                  fmt::format("{} {} is greater than {} {}", order.low_words, low.string_or(""),
                              order.high_words, high.string_or("")));
  }
}

void check_limit_range_item(CheckScope& scope) {
  if (scope.text("type").empty()) scope.format(".type", "", Format::qualified_name);
  std::set<std::string_view> resources;
  for (const std::string_view list : {"max", "min", "default", "defaultRequest"}) {
    const bool is_default = list.starts_with("default");
    if (is_default && scope.text("type") == "Pod") continue;
    check_limit_names(scope, list);
    for (MemberView entry : scope[list].members()) resources.insert(entry.key);
  }
  if (scope.text("type") == "PersistentVolumeClaim" && !scope["min"]["storage"] &&
      !scope["max"]["storage"]) {
    scope.required(".limits",
                   "either minimum or maximum storage value is required, but neither was "
                   "provided");
  }
  check_limit_names(scope, "maxLimitRequestRatio");
  for (const std::string_view resource : resources) check_limit_orders(scope, resource);
  for (MemberView ratio : scope["maxLimitRequestRatio"].members()) {
    const auto amount = Quantity::parse_field(ratio.value.string_or(""));
    if (!amount) continue;
    const std::string place = fmt::format(".maxLimitRequestRatio[{}]", ratio.key);
    if (*amount < Quantity::of_milli(1'000)) {
      scope.invalid(place, ratio.value,
                    fmt::format("ratio {} is less than 1", ratio.value.string_or("")));
    }
    const auto most = Quantity::parse_field(scope["max"][ratio.key].string_or(""));
    const auto least = Quantity::parse_field(scope["min"][ratio.key].string_or(""));
    if (!most || !least || least->is_zero()) continue;
    const double bound = most->to_double() / least->to_double();
    if (amount->to_double() > bound) {
      scope.invalid(place, ratio.value,
                    fmt::format("ratio {} is greater than max/min = {:.6f}",
                                ratio.value.string_or(""), bound));
    }
  }
}

constexpr NamedCheck checks[] = {
    {"disruption-budget", check_disruption_budget},
    {"limit-range-item", check_limit_range_item},
    {"resource-quota", check_resource_quota},
};

}  // namespace

std::span<const NamedCheck> quota_checks() {
  return checks;
}

}  // namespace muster::objects
