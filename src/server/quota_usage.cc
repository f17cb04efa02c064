// SPDX-License-Identifier: Apache-2.0
#include "server/quota_usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace muster::server {

using objects::Kind;
using objects::KindRegistry;
using objects::View;

namespace {

constexpr std::string_view count_prefix = "count/";
constexpr std::string_view storage_class_suffix = ".storageclass.storage.k8s.io/";

constexpr std::array<std::string_view, 3> service_names = {"services", "services.nodeports",
                                                           "services.loadbalancers"};
constexpr std::array<std::string_view, 2> claim_names = {"persistentvolumeclaims",
                                                         "requests.storage"};
// Kinds that were counted by their plain name before there was `count/`.
constexpr std::array<std::string_view, 4> plain_names = {"configmaps", "resourcequotas",
                                                         "replicationcontrollers", "secrets"};

bool is_core(const Kind& kind, std::string_view plural) {
  return kind.group.empty() && kind.plural == plural;
}

template <std::size_t size>
bool is_one_of(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string count_name(const Kind& kind) {
  return kind.group.empty() ? fmt::format("{}{}", count_prefix, kind.plural)
                            : fmt::format("{}{}.{}", count_prefix, kind.plural, kind.group);
}

bool counts_claim_under(std::string_view resource) {
  if (is_one_of(claim_names, resource)) return true;
  for (const std::string_view name : claim_names) {
    if (!resource.ends_with(name)) continue;
    if (resource.substr(0, resource.size() - name.size()).ends_with(storage_class_suffix)) {
      return true;
    }
  }
  return false;
}

ResourceList pod_usage(View pod) {
  const std::string_view phase = pod["status"]["phase"].string_or("");
  if (phase == "Succeeded" || phase == "Failed") return {};
  const View spec = pod["spec"];
  return core::under_quota_names(pod_requests(spec, Overhead::counted),
                                 pod_limits(spec, Overhead::counted));
}

std::int64_t ports_on_nodes(View spec) {
  const View ports = spec["ports"];
  const std::string_view type = spec["type"].string_or("");
  const auto all = static_cast<std::int64_t>(ports.size());
  if (type == "NodePort") return all;
  if (type != "LoadBalancer") return 0;
  if (spec["allocateLoadBalancerNodePorts"].boolean_or(true)) return all;
  std::int64_t explicit_ports = 0;
  for (View port : ports.elements()) {
    if (port["nodePort"].integer_or(0) != 0) ++explicit_ports;
  }
  return explicit_ports;
}

ResourceList service_usage(View service) {
  const View spec = service["spec"];
  const bool balances = spec["type"].string_or("") == "LoadBalancer";
  ResourceList used;
  used.emplace("services", Quantity::of(1));
  used.emplace("services.nodeports", Quantity::of(ports_on_nodes(spec)));
  used.emplace("services.loadbalancers", Quantity::of(balances ? 1 : 0));
  return used;
}

ResourceList claim_usage(View claim) {
  const View spec = claim["spec"];
  ResourceList used;
  used.emplace("persistentvolumeclaims", Quantity::of(1));
  std::string_view storage_class =
      claim["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"].string_or("");
  if (storage_class.empty()) storage_class = spec["storageClassName"].string_or("");
  const auto charge = [&](std::string_view name, const Quantity& amount) {
    used.insert_or_assign(std::string(name), amount);
    if (storage_class.empty()) return;
    used.insert_or_assign(fmt::format("{}{}{}", storage_class, storage_class_suffix, name), amount);
  };
  charge("persistentvolumeclaims", Quantity::of(1));
  const ResourceList requests = resource_list_of(spec["resources"]["requests"]);
  const auto storage = requests.find("storage");
  if (storage == requests.end()) return used;
  const ResourceList allocated = resource_list_of(claim["status"]["allocatedResources"]);
  Quantity amount = storage->second;
  if (amount_of(allocated, "storage") > amount) amount = amount_of(allocated, "storage");
  charge("requests.storage", amount.round_up(QuantityScale::unit));
  return used;
}

// --- scopes -----------------------------------------------------------------------------------

bool asks_for_compute(View resources) {
  for (const std::string_view which : {"requests", "limits"}) {
    for (const auto& [name, amount] : resource_list_of(resources[which])) {
      if ((name == "cpu" || name == "memory") && amount.sign() > 0) return true;
    }
  }
  return false;
}

bool is_best_effort(View pod) {
  const std::string_view stated = pod["status"]["qosClass"].string_or("");
  if (!stated.empty()) return stated == "BestEffort";
  const View spec = pod["spec"];
  if (asks_for_compute(spec["resources"])) return false;
  for (const std::string_view field : {"containers", "initContainers"}) {
    for (View container : spec[field].elements()) {
      if (asks_for_compute(container["resources"])) return false;
    }
  }
  return true;
}

bool pod_scope_holds(const QuotaScope& scope, View pod) {
  if (scope.name == "Terminating") return is_terminating(pod);
  if (scope.name == "NotTerminating") return !is_terminating(pod);
  if (scope.name == "BestEffort") return is_best_effort(pod);
  if (scope.name == "NotBestEffort") return !is_best_effort(pod);
  if (scope.name == "PriorityClass") {
    return value_holds(scope, pod["spec"]["priorityClassName"].string_or(""));
  }
  if (scope.name == "CrossNamespacePodAffinity") {
    return core::reaches_other_namespaces(pod["spec"]);
  }
  return false;
}

// The class that is wanted and the one that is there both count.
bool claim_scope_holds(const QuotaScope& scope, View claim) {
  if (scope.name != "VolumeAttributesClass") return false;
  const std::string_view names[] = {
      claim["spec"]["volumeAttributesClassName"].string_or(""),
      claim["status"]["currentVolumeAttributesClassName"].string_or(""),
      claim["status"]["modifyVolumeStatus"]["targetVolumeAttributesClassName"].string_or("")};
  bool any = false;
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    any = true;
    if (value_holds(scope, name)) return true;
  }
  return !any && value_holds(scope, "");
}

}  // namespace

bool counts_under(const Kind& kind, std::string_view resource) {
  if (resource.starts_with(count_prefix)) return resource == count_name(kind);
  if (!kind.group.empty()) return false;
  if (kind.plural == "pods") return core::counts_pods_under(resource);
  if (kind.plural == "services") return is_one_of(service_names, resource);
  if (kind.plural == "persistentvolumeclaims") return counts_claim_under(resource);
  return resource == kind.plural && is_one_of(plain_names, resource);
}

bool is_counted(const KindRegistry& registry, std::string_view resource) {
  if (resource.starts_with(count_prefix)) {
    const std::string_view name = resource.substr(count_prefix.size());
    const std::size_t dot = name.find('.');
    const bool grouped = dot != std::string_view::npos;
    const auto kind = registry.find_resource(grouped ? name.substr(dot + 1) : "",
                                             grouped ? name.substr(0, dot) : name);
    return kind != nullptr && kind->scope == objects::Scope::namespaced;
  }
  return core::counts_pods_under(resource) || counts_claim_under(resource) ||
         is_one_of(service_names, resource) || is_one_of(plain_names, resource);
}

ResourceList quota_usage(const Kind& kind, View object) {
  ResourceList used;
  if (is_core(kind, "pods")) {
    used = pod_usage(object);
  } else if (is_core(kind, "services")) {
    used = service_usage(object);
  } else if (is_core(kind, "persistentvolumeclaims")) {
    used = claim_usage(object);
  } else if (kind.group.empty() && is_one_of(plain_names, kind.plural)) {
    used.emplace(kind.plural, Quantity::of(1));
  }
  used.emplace(count_name(kind), Quantity::of(1));
  return used;
}

bool scopes_hold(const std::vector<QuotaScope>& scopes, const Kind& kind, View object) {
  for (const QuotaScope& scope : scopes) {
    const bool holds = is_core(kind, "pods") ? pod_scope_holds(scope, object)
                                             : is_core(kind, "persistentvolumeclaims") &&
                                                   claim_scope_holds(scope, object);
    if (!holds) return false;
  }
  return true;
}

std::string missing_requests(const std::vector<std::string>& resources, View pod_spec) {
  if (!pod_spec["resources"]["requests"].empty() || !pod_spec["resources"]["limits"].empty()) {
    return {};  // the pod says it for its containers
  }
  core::Unstated missing;
  for (const std::string_view field : {"containers", "initContainers"}) {
    for (View container : pod_spec[field].elements()) {
      const View stated = container["resources"];
      const ResourceList used = core::under_quota_names(resource_list_of(stated["requests"]),
                                                        resource_list_of(stated["limits"]));
      for (const std::string& resource : resources) {
        if (!core::must_be_stated(resource) || used.contains(resource)) continue;
        missing[resource].emplace(container["name"].string_or(""));
      }
    }
  }
  return core::unstated_text(missing);
}

bool is_terminating(View pod) {
  return pod["spec"]["activeDeadlineSeconds"].integer_or(-1) >= 0;
}

}  // namespace muster::server
