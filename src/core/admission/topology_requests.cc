// SPDX-License-Identifier: Apache-2.0
#include "core/admission/topology_requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/result.h"
#include "core/admission/flavor_match.h"
#include "core/words.h"

namespace muster::core {

namespace {

bool has_any_topology(const Tables& tables, const ClusterQueueRow& queue) {
  return std::ranges::any_of(queue.groups, [&](const std::vector<GroupFlavor>& group) {
    return std::ranges::any_of(
        group, [&](const GroupFlavor& each) { return has_topology(tables, each.flavor); });
  });
}

// The only flavor of the pod set that has a topology.
Result<FlavorId> topology_flavor(const Tables& tables, const PodSetFlavors& set) {
  std::vector<FlavorId> flavors;
  for (const FlavorAssignment& each : set.flavors) {
    if (!has_topology(tables, each.flavor)) continue;
    if (std::ranges::find(flavors, each.flavor) == flavors.end()) flavors.push_back(each.flavor);
  }
  if (flavors.empty()) return Error::invalid("no TAS flavor assigned");
  if (flavors.size() == 1) return flavors[0];
  std::vector<std::string> names;
  names.reserve(flavors.size());
  for (const FlavorId flavor : flavors) names.push_back(tables.flavors.key(flavor));
  std::ranges::sort(names);
  return Error::invalid(
      fmt::format("more than one TAS flavor assigned: {}", fmt::join(names, ", ")));
}

// Another cluster places the pods, or the machines come only after quota is reserved.
bool is_placed_later(const AssignmentQuestion& question, FlavorId flavor) {
  for (std::size_t i = 0; i < question.queue.checks.size(); ++i) {
    const AdmissionCheckRow& row = question.tables.admission_checks[question.queue.checks[i]];
    if (row.spec.controller == words::multikueue_controller) return true;
    if (row.spec.controller != words::provisioning_controller) continue;
    if (question.workload.is_quota_reserved) continue;
    const std::vector<std::string>& on = question.queue.spec.checks[i].on_flavors;
    const std::string& name = question.tables.flavors.key(flavor);
    if (on.empty() || std::ranges::find(on, name) != on.end()) return true;
  }
  return false;
}

// Slices of an elastic job keep their pods where they are, which only goes without constraints.
Result<> check_elastic(const TopologyRequest& request) {
  if (request.mode == TopologyRequest::Mode::required) {
    return Error::invalid("required topology is not supported with ElasticJobsViaWorkloadSlices");
  }
  if (request.mode == TopologyRequest::Mode::preferred) {
    return Error::invalid("preferred topology is not supported with ElasticJobsViaWorkloadSlices");
  }
  return {};
}

const TopologyAssignment* previous_place(const ReplacedSlice* slice, std::string_view pod_set) {
  if (slice == nullptr) return nullptr;
  const auto set = std::ranges::find(slice->pod_sets, pod_set, &PodSetRequests::name);
  if (set == slice->pod_sets.end() || set->admitted == nullptr) return nullptr;
  return set->admitted->topology ? &*set->admitted->topology : nullptr;
}

// Nothing: its place comes later.
Result<std::optional<TopologyPodSet>> request_of(const AssignmentQuestion& question,
                                                 PodSetFlavors& set, std::size_t index) {
  const GangPodSet& spec = question.workload.pod_sets[index];
  TopologyPodSet request{.pod_set = index,
                         .flavor = {},
                         .count = set.count,
                         .set = &spec,
                         .previous = nullptr,
                         .implied = !spec.topology.is_explicit()};
  const bool is_elastic = question.workload.is_elastic &&
                          question.enabled(Gate::elastic_jobs_via_workload_slices_with_tas);
  if (is_elastic) {
    TRY(check_elastic(spec.topology));
    request.previous = previous_place(question.slice, spec.name);
  }
  if (!has_any_topology(question.tables, question.queue)) {
    return Error::invalid("workload requires Topology, but there is no TAS cache information");
  }
  request.flavor = TRY(topology_flavor(question.tables, set));
  if (is_placed_later(question, request.flavor)) {
    set.delayed_topology = DelayedTopology::pending;
    return std::optional<TopologyPodSet>();
  }
  return std::optional(request);
}

PodSetFlavors* find_pod_set(Assignment& assignment, std::string_view name) {
  const auto at = std::ranges::find(assignment.pod_sets, name, &PodSetFlavors::pod_set);
  return at == assignment.pod_sets.end() ? nullptr : &*at;
}

}  // namespace

bool has_unhealthy_node(const Workload& workload, const TopologyAssignment& assignment) {
  return std::ranges::any_of(assignment.domains, [&](const TopologyDomain& domain) {
    return !domain.values.empty() &&
           std::ranges::find(workload.extras->unhealthy_nodes, domain.values.back()) !=
               workload.extras->unhealthy_nodes.end();
  });
}

std::vector<TopologyPodSet> topology_requests(const AssignmentQuestion& question,
                                              Assignment& assignment) {
  std::vector<TopologyPodSet> requests;
  for (std::size_t i = 0; i < question.workload.pod_sets.size(); ++i) {
    const GangPodSet& spec = question.workload.pod_sets[i];
    if (!asks_for_topology(spec, question.is_topology_queue)) continue;
    PodSetFlavors* set = find_pod_set(assignment, spec.name);
    if (set == nullptr || !set->error.empty() || set->count == 0) continue;
    if (set->topology && !has_unhealthy_node(question.workload, *set->topology)) continue;
    auto request = request_of(question, *set, i);
    if (!request) {
      set->error = request.error().message;
      assignment.mode = worst_mode(assignment);
    } else if (*request) {
      requests.push_back(**request);
    }
  }
  return requests;
}

void give_places(Assignment& assignment, std::span<const TopologyPodSet> pod_sets,
                 TopologyResult found) {
  for (std::size_t i = 0; i < pod_sets.size(); ++i) {
    PodSetFlavors* set = find_pod_set(assignment, pod_sets[i].set->name);
    if (set == nullptr) continue;
    set->topology = std::move(found.pod_sets[i]);
    if (set->topology && set->delayed_topology != DelayedTopology::none) {
      set->delayed_topology = DelayedTopology::ready;
    }
  }
}

}  // namespace muster::core
