// SPDX-License-Identifier: Apache-2.0
#include "core/model/quota_pod.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "objects/json.h"

namespace muster::core {

using objects::View;

namespace {

constexpr std::string_view count_pods = "count/pods";
constexpr std::string_view requests_prefix = "requests.";
constexpr std::string_view huge_pages_prefix = "hugepages-";

constexpr std::array<std::string_view, 10> pod_names = {
    "cpu",          "memory",          "ephemeral-storage",
    "requests.cpu", "requests.memory", "requests.ephemeral-storage",
    "limits.cpu",   "limits.memory",   "limits.ephemeral-storage",
    "pods"};
constexpr std::array<std::string_view, 6> stated_names = {
    "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"};

template <std::size_t size>
bool is_one_of(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_native(std::string_view resource) {
  return resource.find('/') == std::string_view::npos ||
         resource.find("kubernetes.io/") != std::string_view::npos;
}

bool crosses_namespaces(View term) {
  return !term["namespaces"].empty() || term["namespaceSelector"].is_object();
}

QuotaAmounts by_name(const ResourceQuantities& list, const ResourceNames& names) {
  QuotaAmounts amounts;
  for (const ResourceQuantity& entry : list) {
    amounts.insert_or_assign(names.name(entry.resource), entry.quantity);
  }
  return amounts;
}

// Limits add up as requests do; the overhead comes to those that there are.
ResourceQuantities total_limits(const PodSpecResources& spec, const ResourceNames& names) {
  PodSpecResources limits = spec;
  for (ContainerResources& each : limits.containers) each.requests = each.limits;
  for (ContainerResources& each : limits.init_containers) each.requests = each.limits;
  limits.pod_level.requests = limits.pod_level.limits;
  limits.overhead.clear();
  ResourceQuantities total = total_requests(limits, names);
  for (ResourceQuantity& entry : total) {
    const Quantity* more = quantity_of(spec.overhead, entry.resource);
    if (more != nullptr && entry.quantity.sign() != 0) entry.quantity += *more;
  }
  return total;
}

bool asks_for_compute(const ContainerResources& resources, const ResourceNames& names) {
  for (const ResourceQuantities* list : {&resources.requests, &resources.limits}) {
    for (const ResourceQuantity& entry : *list) {
      const std::string& name = names.name(entry.resource);
      if ((name == "cpu" || name == "memory") && entry.quantity.sign() > 0) return true;
    }
  }
  return false;
}

bool asks_for_compute(const PodSpecResources& spec, const ResourceNames& names) {
  const auto asks = [&](const ContainerResources& each) { return asks_for_compute(each, names); };
  return asks(spec.pod_level) || std::ranges::any_of(spec.containers, asks) ||
         std::ranges::any_of(spec.init_containers, asks);
}

void note_unstated(View containers, const std::vector<ContainerResources>& all,
                   const ResourceNames& names, Unstated& unstated) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const QuotaAmounts stated =
        under_quota_names(by_name(all[i].requests, names), by_name(all[i].limits, names));
    for (const std::string_view name : stated_names) {
      if (stated.contains(name)) continue;
      unstated[std::string(name)].emplace(containers[i]["name"].string_or(""));
    }
  }
}

}  // namespace

std::vector<QuotaScope> quota_scopes(View quota_spec) {
  std::vector<QuotaScope> scopes;
  for (const View scope : quota_spec["scopes"].elements()) {
    scopes.push_back({std::string(scope.string_or("")), "Exists", {}});
  }
  for (const View requirement : quota_spec["scopeSelector"]["matchExpressions"].elements()) {
    QuotaScope scope{std::string(requirement["scopeName"].string_or("")),
                     std::string(requirement["operator"].string_or("")),
                     {}};
    for (const View value : requirement["values"].elements()) {
      scope.values.emplace_back(value.string_or(""));
    }
    scopes.push_back(std::move(scope));
  }
  return scopes;
}

bool value_holds(const QuotaScope& scope, std::string_view value) {
  const bool listed = std::ranges::find(scope.values, value) != scope.values.end();
  if (scope.operation == "Exists") return !value.empty();
  if (scope.operation == "DoesNotExist") return value.empty();
  if (scope.operation == "In") return !value.empty() && listed;
  return value.empty() || !listed;
}

bool counts_pods_under(std::string_view resource) {
  if (is_one_of(pod_names, resource)) return true;
  if (resource.starts_with(huge_pages_prefix)) return true;
  if (!resource.starts_with(requests_prefix)) return false;
  return resource.substr(requests_prefix.size()).starts_with(huge_pages_prefix) ||
         !is_native(resource);
}

QuotaAmounts under_quota_names(const QuotaAmounts& requests, const QuotaAmounts& limits) {
  QuotaAmounts used;
  used.emplace("pods", Quantity::of(1));
  for (const auto& [name, amount] : requests) {
    const std::string as_request = fmt::format("{}{}", requests_prefix, name);
    if (name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
        name.starts_with(huge_pages_prefix)) {
      used.emplace(name, amount);
      used.emplace(as_request, amount);
    } else if (!is_native(name) && !name.starts_with(requests_prefix)) {
      used.emplace(as_request, amount);
    }
  }
  for (const auto& [name, amount] : limits) {
    if (name == "cpu" || name == "memory" || name == "ephemeral-storage") {
      used.emplace("limits." + name, amount);
    }
  }
  return used;
}

bool must_be_stated(std::string_view resource) {
  return is_one_of(stated_names, resource);
}

std::string unstated_text(const Unstated& unstated) {
  std::vector<std::string> parts;
  for (const auto& [resource, containers] : unstated) {
    parts.push_back(fmt::format("{} for: {}", resource, fmt::join(containers, ",")));
  }
  return parts.empty() ? std::string() : fmt::format("must specify {}", fmt::join(parts, "; "));
}

bool reaches_other_namespaces(View spec) {
  for (const std::string_view which : {"podAffinity", "podAntiAffinity"}) {
    const View affinity = spec["affinity"][which];
    for (const View term : affinity["requiredDuringSchedulingIgnoredDuringExecution"].elements()) {
      if (crosses_namespaces(term)) return true;
    }
    for (const View term : affinity["preferredDuringSchedulingIgnoredDuringExecution"].elements()) {
      if (crosses_namespaces(term["podAffinityTerm"])) return true;
    }
  }
  return false;
}

QuotaPod quota_pod_of_template(View spec, const PodSpecResources& resources,
                               std::string_view default_priority_class,
                               const ResourceNames& names) {
  QuotaPod pod;
  pod.usage = under_quota_names(by_name(total_requests(resources, names), names),
                                by_name(total_limits(resources, names), names));
  pod.usage.emplace(count_pods, Quantity::of(1));
  pod.is_terminating = spec["activeDeadlineSeconds"].integer_or(-1) >= 0;
  pod.is_best_effort = !asks_for_compute(resources, names);
  pod.has_far_affinity = reaches_other_namespaces(spec);
  pod.priority_class = spec["priorityClassName"].string_or("");
  if (pod.priority_class.empty()) pod.priority_class = default_priority_class;
  // A pod that says it for its containers leaves nothing open.
  if (resources.pod_level.requests.empty() && resources.pod_level.limits.empty()) {
    note_unstated(spec["containers"], resources.containers, names, pod.unstated);
    note_unstated(spec["initContainers"], resources.init_containers, names, pod.unstated);
  }
  return pod;
}

QuotaPod quota_pod_of(View pod, ResourceNames& names) {
  const auto resources = read_pod_resources(pod["spec"], names);
  QuotaPod read =
      quota_pod_of_template(pod["spec"], resources ? *resources : PodSpecResources(), {}, names);
  const std::string_view quality = pod["status"]["qosClass"].string_or("");
  if (!quality.empty()) read.is_best_effort = quality == "BestEffort";
  const std::string_view phase = pod["status"]["phase"].string_or("");
  const bool has_ended = phase == "Succeeded" || phase == "Failed";
  if (has_ended) read.usage = {{std::string(count_pods), Quantity::of(1)}};
  return read;
}

bool scope_holds(const QuotaScope& scope, const QuotaPod& pod) {
  if (scope.name == "Terminating") return pod.is_terminating;
  if (scope.name == "NotTerminating") return !pod.is_terminating;
  if (scope.name == "BestEffort") return pod.is_best_effort;
  if (scope.name == "NotBestEffort") return !pod.is_best_effort;
  if (scope.name == "PriorityClass") return value_holds(scope, pod.priority_class);
  if (scope.name == "CrossNamespacePodAffinity") return pod.has_far_affinity;
  return false;
}

QuotaLimits read_quota_limits(View quota) {
  QuotaLimits limits;
  for (const auto& [name, value] : quota["spec"]["hard"].members()) {
    if (name != count_pods && !counts_pods_under(name)) continue;
    const std::string text =
        value.is_string() ? std::string(*value.string()) : objects::to_json(value);
    if (auto amount = Quantity::parse_field(text)) {
      limits.hard.insert_or_assign(std::string(name), *std::move(amount));
    }
  }
  limits.scopes = quota_scopes(quota["spec"]);
  return limits;
}

bool holds_for(const QuotaLimits& limits, const QuotaPod& pod) {
  return std::ranges::all_of(limits.scopes,
                             [&](const QuotaScope& scope) { return scope_holds(scope, pod); });
}

std::string amounts_text(const QuotaAmounts& amounts) {
  std::vector<std::string> parts;
  for (const auto& [name, amount] : amounts) {
    parts.push_back(fmt::format("{}={}", name, amount.to_string()));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace muster::core
