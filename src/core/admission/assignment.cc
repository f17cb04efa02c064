// SPDX-License-Identifier: Apache-2.0
#include "core/admission/assignment.h"

#include <algorithm>

#include "core/model/tables.h"

namespace muster::core {

namespace {

bool has_told_obstacles(const Assignment& assignment, const PodSetFlavors& set) {
  const auto* first = assignment.obstacles.data() + set.obstacles.first;
  return std::any_of(first, first + set.obstacles.count,
                     [](const Obstacle& obstacle) { return obstacle.is_told; });
}

// Alternatives of one resource group: the mildest cause. All groups are needed: the worst of them.
NoFitCause cause_of(const Assignment& assignment, const PodSetFlavors& set) {
  if (set.attempts.count == 0) return NoFitCause::no_matching_flavor;
  const auto* first = assignment.attempts.data() + set.attempts.first;
  const auto* end = first + set.attempts.count;
  NoFitCause worst = NoFitCause::none;
  for (const auto* each = first; each != end; ++each) {
    if (each->mode != FlavorMode::no_fit) continue;
    NoFitCause mildest = each->cause;
    for (const auto* other = first; other != end; ++other) {
      const bool is_alternative = other->mode == FlavorMode::no_fit && other->group == each->group;
      if (is_alternative) mildest = std::min(mildest, other->cause);
    }
    worst = std::max(worst, mildest);
  }
  return worst;
}

}  // namespace

const Assignment& AssignmentRef::unset() {
  static const Assignment empty;
  return empty;
}

void clear(Assignment& assignment) {
  assignment.mode = AssignmentMode::no_fit;
  assignment.cause = NoFitCause::none;
  assignment.borrow = 0;
  assignment.pod_sets.clear();
  assignment.usage.clear();
  assignment.tried.entries.clear();
  assignment.tried.moment = {};
  assignment.replaced_slice = {};
  assignment.obstacles.clear();
  assignment.attempts.clear();
}

AssignmentMode mode_of(FlavorMode mode) {
  switch (mode) {
    case FlavorMode::no_fit:
      return AssignmentMode::no_fit;
    case FlavorMode::no_candidates:
    case FlavorMode::preempt:
    case FlavorMode::reclaim:
      return AssignmentMode::preempt;
    case FlavorMode::fit:
      return AssignmentMode::fit;
  }
  return AssignmentMode::no_fit;
}

AssignmentMode mode_of(const Assignment& assignment, const PodSetFlavors& set) {
  if (!set.error.empty()) return AssignmentMode::no_fit;
  if (!set.topology_failure && !has_told_obstacles(assignment, set)) return AssignmentMode::fit;
  if (set.flavors.empty()) return AssignmentMode::no_fit;
  AssignmentMode worst = AssignmentMode::fit;
  for (const FlavorAssignment& each : set.flavors) worst = std::min(worst, each.mode);
  return worst;
}

AssignmentMode worst_mode(const Assignment& assignment) {
  if (assignment.pod_sets.empty()) return AssignmentMode::no_fit;
  AssignmentMode worst = AssignmentMode::fit;
  for (const PodSetFlavors& set : assignment.pod_sets) {
    worst = std::min(worst, mode_of(assignment, set));
  }
  return worst;
}

void set_mode(Assignment& assignment, AssignmentMode mode) {
  assignment.mode = mode;
  for (PodSetFlavors& set : assignment.pod_sets) {
    for (FlavorAssignment& each : set.flavors) each.mode = mode;
  }
}

NoFitCause no_fit_cause(const Assignment& assignment) {
  NoFitCause worst = NoFitCause::none;
  if (assignment.mode != AssignmentMode::no_fit) return worst;
  for (const PodSetFlavors& set : assignment.pod_sets) {
    if (mode_of(assignment, set) != AssignmentMode::no_fit) continue;
    worst = std::max(worst, cause_of(assignment, set));
  }
  return worst;
}

std::vector<Reason> reasons_of(const Tables& tables, const Assignment& assignment) {
  std::vector<Reason> reasons;
  for (const PodSetFlavors& set : assignment.pod_sets) {
    if (!set.error.empty()) {
      return {{.type = Reason::Type::not_assignable, .pod_set = set.pod_set, .detail = set.error}};
    }
    for (std::uint32_t i = 0; i < set.obstacles.count; ++i) {
      const Obstacle& obstacle = assignment.obstacles[set.obstacles.first + i];
      if (obstacle.is_told) reasons.push_back(reason_of(tables, set.pod_set, obstacle));
    }
    if (set.topology_failure) reasons.push_back(*set.topology_failure);
  }
  return reasons;
}

Amounts granted_usage(const PodSetFlavors& set) {
  Amounts usage;
  usage.reserve(set.flavors.size());
  for (const FlavorAssignment& each : set.flavors) {
    usage.push_back({each.resource, amount_of(set.requests, each.resource)});
  }
  return usage;
}

}  // namespace muster::core
