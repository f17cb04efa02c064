// SPDX-License-Identifier: Apache-2.0
#include "core/admission/find_assignment.h"

#include <algorithm>

#include "base/checked.h"
#include "core/admission/assign_flavors.h"
#include "core/admission/assignment_pool.h"
#include "core/admission/flavor_match.h"
#include "core/admission/partial_admission.h"
#include "core/admission/topology_requests.h"
#include "core/model/workload_usage.h"
#include "core/preemption/find_targets.h"

namespace muster::core {

namespace {

// What the preemptor will take of quota, as Kueue hands it to the search for targets: without the
// pods themselves, and from the pod sets as the spec has them.
Usage preemptor_usage(const AssignmentQuestion& question, const Assignment& assignment) {
  Usage usage;
  std::vector<PodSetRequests> sets = pod_set_requests(question.workload);
  for (std::size_t i = 0; i < sets.size() && i < assignment.pod_sets.size(); ++i) {
    const PodSetFlavors& assigned = assignment.pod_sets[i];
    std::int64_t count = assigned.count;
    if (question.slice != nullptr) {
      const auto& old = question.slice->pod_sets;
      count = sets[i].count - (i < old.size() ? old[i].count : 0);
    }
    scale(sets[i], count);
    for (const Amount& request : sets[i].requests) {
      const auto flavor =
          std::ranges::find(assigned.flavors, request.resource, &FlavorAssignment::resource);
      if (request.amount == 0 || flavor == assigned.flavors.end()) continue;
      const auto at =
          std::ranges::find(usage, flavor->flavor_resource, &FlavorUsage::flavor_resource);
      if (at == usage.end()) {
        usage.push_back({flavor->flavor_resource, request.amount});
      } else {
        at->amount = quota_add(at->amount, request.amount);
      }
    }
  }
  return usage;
}

std::vector<FlavorResourceId> contested_by(const Assignment& assignment) {
  std::vector<FlavorResourceId> contested;
  for (const PodSetFlavors& set : assignment.pod_sets) {
    for (const FlavorAssignment& each : set.flavors) {
      if (each.mode != AssignmentMode::preempt) continue;
      if (std::ranges::find(contested, each.flavor_resource) != contested.end()) continue;
      contested.push_back(each.flavor_resource);
    }
  }
  return contested;
}

// Whether the search through the flavors has asked the same already and found nobody. That it asked
// without places and without what fits makes no difference: both only ask for more.
bool is_hopeless(const AssignmentQuestion& question, const Usage& usage,
                 const std::vector<FlavorResourceId>& contested) {
  return contested.size() == 1 && contested[0] == question.nobody->pair &&
         usage_of(usage, contested[0]) == question.nobody->amount &&
         !question.tables.configuration.fair_sharing.enabled &&
         question.policy.explanation == nullptr;
}

std::vector<Target> targets_of(const AssignmentQuestion& question, Assignment& assignment) {
  const Usage usage = preemptor_usage(question, assignment);
  std::vector<FlavorResourceId> contested = contested_by(assignment);
  if (is_hopeless(question, usage, contested)) return {};
  std::vector<TopologyPodSet> places;
  if (question.enabled(Gate::topology_aware_scheduling)) {
    places = topology_requests(question, assignment);
  }
  return find_targets(question.tables, question.trial, question.policy,
                      {.workload = question.request.workload,
                       .queue = question.request.queue,
                       .usage = &usage,
                       .contested = std::move(contested),
                       .topology = places});
}

// The slice that is replaced goes first, and for no reason of preemption.
void add_slice(const AssignmentQuestion& question, std::vector<Target>& targets) {
  if (question.slice == nullptr) return;
  targets.insert(targets.begin(), Target{.workload = question.slice->workload});
}

// Fits, or fits after evictions of whom there are: those become its targets.
bool is_viable(const AssignmentQuestion& question, Nomination& nomination) {
  if (nomination.assignment->mode == AssignmentMode::preempt) {
    nomination.targets = targets_of(question, nomination.assignment.edit());
    if (nomination.targets.empty()) return false;
  } else if (nomination.assignment->mode != AssignmentMode::fit) {
    return false;
  }
  add_slice(question, nomination.targets);
  return true;
}

void find(AssignmentQuestion& question, Nomination& nomination) {
  nomination.assignment = question.tables.assignments->take();
  assign_flavors(question, {}, nomination.assignment.edit());
  if (is_viable(question, nomination)) return;
  if (!question.enabled(Gate::partial_admission) || !question.workload.may_be_partial()) return;
  question.is_explained = false;
  auto smaller = search_counts<Nomination>(
      question.workload, [&](std::span<const std::int64_t> counts) -> std::optional<Nomination> {
        Nomination reduced{.assignment = question.tables.assignments->take(), .targets = {}};
        assign_flavors(question, counts, reduced.assignment.edit());
        if (!is_viable(question, reduced)) return std::nullopt;
        return reduced;
      });
  if (smaller) nomination = *std::move(smaller);
}

bool loses_a_place(const Workload& workload) {
  return workload.is_quota_reserved &&
         std::ranges::any_of(workload.admission->pod_sets, [&](const PodSetAssignment& set) {
           return set.topology && has_unhealthy_node(workload, *set.topology);
         });
}

// Whoever waits for evictions keeps the places that they will free; whoever has nobody to evict,
// those that an empty cluster would give it. Others must not take them in the meantime.
void keep_places(const AssignmentQuestion& question, Nomination& nomination) {
  const bool asks = question.is_topology_queue ||
                    std::ranges::any_of(question.workload.pod_sets, [](const GangPodSet& set) {
                      return set.topology.is_explicit();
                    });
  if (nomination.assignment->mode != AssignmentMode::preempt || !asks ||
      !question.enabled(Gate::topology_aware_scheduling) || loses_a_place(question.workload)) {
    return;
  }
  const std::vector<TopologyPodSet> places =
      topology_requests(question, nomination.assignment.edit());
  Trial without(question.tables.undo);
  for (const Target& target : nomination.targets) {
    release_usage(question.tables, without, target.workload);
  }
  TopologyResult found =
      assign_topology(question.tables, question.policy, question.workload, places,
                      {.simulate_empty = nomination.targets.empty(), .is_question = false});
  give_places(nomination.assignment.edit(), places, std::move(found));
}

}  // namespace

Nomination find_assignment(Tables& tables, Trial& trial, const Policy& policy,
                           const AssignmentRequest& request) {
  const auto slice = find_replaced_slice(tables, policy, request.workload, request.queue);
  const ClusterQueueRow& queue = tables.cluster_queues[request.queue];
  NobodyToPreempt nobody;
  AssignmentQuestion question{.tables = tables,
                              .trial = trial,
                              .policy = policy,
                              .request = request,
                              .workload = tables.workloads[request.workload].spec,
                              .queue = queue,
                              .last = request.last,
                              .slice = slice ? &*slice : nullptr,
                              .is_topology_queue = is_topology_queue(tables, queue),
                              .nobody = &nobody};
  const bool preserves = question.enabled(Gate::flavor_fungibility_preserve_scan_progress);
  if (request.last != nullptr && is_outdated(*request.last, request.moment, preserves)) {
    question.last = nullptr;
  }
  if (tables.assignments == nullptr) renew(tables.assignments);
  Nomination nomination;
  find(question, nomination);
  keep_places(question, nomination);
  return nomination;
}

}  // namespace muster::core
