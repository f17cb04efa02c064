// SPDX-License-Identifier: Apache-2.0
#include "core/admission/flavor_search.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/checked.h"
#include "core/admission/flavor_match.h"
#include "core/plan/explanation.h"
#include "core/preemption/possibility.h"

namespace muster::core {

namespace {

constexpr std::array<std::string_view, 5> mode_names{"NoFit", "NoCandidates", "Preempt", "Reclaim",
                                                     "Fit"};

FlavorMode mode_of(Possibility::Type type) {
  switch (type) {
    case Possibility::Type::no_candidates:
      return FlavorMode::no_candidates;
    case Possibility::Type::preempt:
      return FlavorMode::preempt;
    case Possibility::Type::reclaim:
      return FlavorMode::reclaim;
  }
  return FlavorMode::no_candidates;
}

}  // namespace

// Worse than every flavor is one that never fits; then one that would fit if there were somebody to
// evict. Between the others the queue has a preference.
bool FlavorSearch::is_better(const Grade& a, const Grade& b) const {
  if (a.mode == FlavorMode::no_fit) return false;
  if (b.mode == FlavorMode::no_fit) return true;
  const bool a_is_stuck = a.mode == FlavorMode::no_candidates;
  const bool b_is_stuck = b.mode == FlavorMode::no_candidates;
  if (a_is_stuck != b_is_stuck) return b_is_stuck;
  const auto preference = question_.queue.spec.fungibility.preference;
  if (preference == FungibilityPreference::preemption_over_borrowing) {
    return a.borrow != b.borrow ? a.borrow < b.borrow : a.mode > b.mode;
  }
  return a.mode != b.mode ? a.mode > b.mode : a.borrow < b.borrow;
}

// Whether the flavor behind this one is looked at as well.
bool FlavorSearch::goes_on(const Grade& grade) const {
  const FlavorFungibility& fungibility = question_.queue.spec.fungibility;
  if (grade.mode <= FlavorMode::no_candidates) return true;
  const bool preempts = grade.mode == FlavorMode::preempt || grade.mode == FlavorMode::reclaim;
  if (preempts && fungibility.when_can_preempt == FungibilityPolicy::try_next_flavor) return true;
  return grade.borrow > 0 && fungibility.when_can_borrow == FungibilityPolicy::try_next_flavor;
}

bool FlavorSearch::may_preempt_while_borrowing() const {
  const Preemption& preemption = question_.queue.spec.preemption;
  if (preemption.borrow_within_cohort &&
      preemption.borrow_within_cohort->policy != PreemptionPolicy::never) {
    return true;
  }
  return question_.policy.kueue.fair_sharing.enabled &&
         preemption.reclaim_within_cohort != PreemptionPolicy::never;
}

// A second look in the same cycle keeps to what was nominated.
bool FlavorSearch::is_nominated(const PodSetGroup& group, FlavorId flavor,
                                ResourceId resource) const {
  const Assignment& nominated = *question_.request.nominated;
  return std::ranges::any_of(nominated.pod_sets, [&](const PodSetFlavors& set) {
    return std::ranges::find(group.pod_sets, set.index) != group.pod_sets.end() &&
           std::ranges::any_of(set.flavors, [&](const FlavorAssignment& each) {
             return each.resource == resource && each.flavor == flavor;
           });
  });
}

// Takes what the old slice has of the request. False: the old one has another flavor.
bool FlavorSearch::leave_slice(const PodSetGroup& group, FlavorId flavor, Amount& request) {
  const ReplacedSlice& slice = *question_.slice;
  for (const std::uint32_t index : group.pod_sets) {
    const FlavorId before = slice.flavor(question_.tables, index, request.resource);
    if (before != flavor) {
      object({.type = Obstacle::Type::other_flavor_in_slice, .flavor = flavor, .other = before});
      return false;
    }
    const std::int64_t had = amount_of(slice.pod_sets[index].requests, request.resource);
    request.amount = saturating_subtract(request.amount, had);
  }
  return true;
}

FlavorSearch::QuotaAnswer FlavorSearch::ask_preemption(FlavorResourceId pair, std::int64_t wanted) {
  const Possibility found =
      preemption_possibility(question_.tables, question_.trial, question_.policy,
                             question_.request.workload, question_.request.queue, pair, wanted);
  if (found.type == Possibility::Type::no_candidates) *question_.nobody = {pair, wanted};
  return {.grade = {.mode = mode_of(found.type), .borrow = found.borrow}};
}

// What the quota says to a request, with what earlier pod sets take of it.
FlavorSearch::QuotaAnswer FlavorSearch::ask_quota(FlavorId flavor, FlavorResourceId pair,
                                                  const Amount& request) {
  const QuotaForest& quota = question_.tables.quota;
  const QuotaNodeId node = question_.queue.node;
  const std::int64_t assumed = usage_of(assignment_.usage, pair);
  const std::int64_t wanted = quota_add(assumed, request.amount);
  const std::int64_t maximum = quota.potential(node, pair);
  if (wanted > maximum) {
    object({.type = Obstacle::Type::exceeds_maximum,
            .flavor = flavor,
            .resource = request.resource,
            .amount = request.amount,
            .limit = maximum,
            .assumed = assumed});
    return {.cause = NoFitCause::exceeds_max_quota};
  }
  const BorrowHeight level = borrow_height(question_.tables, question_.request.queue, pair, wanted);
  const std::int64_t available = std::max<std::int64_t>(0, quota.available(node, pair));
  if (wanted <= available) return {.grade = {.mode = FlavorMode::fit, .borrow = level.height}};
  object({.type = Obstacle::Type::quota_in_use,
          .flavor = flavor,
          .resource = request.resource,
          .amount = quota_subtract(wanted, available)});
  const bool may_preempt =
      quota.nominal(node, pair) >= wanted || level.is_below_root || may_preempt_while_borrowing();
  if (may_preempt) return ask_preemption(pair, wanted);
  return {.grade = {.mode = FlavorMode::no_fit, .borrow = level.height},
          .cause = NoFitCause::waiting_for_quota};
}

void FlavorSearch::explain(const PodSetGroup& group, FlavorId flavor, ResourceId resource,
                           FlavorMode mode, std::int32_t borrow, std::size_t first_obstacle) {
  Explanation* explanation = question_.policy.explanation;
  if (explanation == nullptr || !question_.is_explained) return;
  const std::string& pod_set = question_.workload.pod_sets[group.pod_sets[0]].name;
  TriedFlavor tried{.pod_set = pod_set,
                    .flavor = flavor,
                    .resource = resource,
                    .mode = mode_names[static_cast<std::size_t>(mode)],
                    .borrow = borrow};
  for (std::size_t i = first_obstacle; i < assignment_.obstacles.size(); ++i) {
    if (!tried.reason.empty()) tried.reason += ", ";
    tried.reason += reason_of(question_.tables, pod_set, assignment_.obstacles[i]).to_string();
  }
  explanation->of(question_.request.workload).flavors.push_back(std::move(tried));
}

// All resources of the group in one flavor. It is as good as the worst of them; they are all looked
// at, so that everything that is missing is told.
FlavorSearch::Trying FlavorSearch::try_flavor(const PodSetGroup& group, std::uint32_t resources,
                                              const GroupFlavor& candidate) {
  const std::vector<ResourceId>& covered = question_.queue.spec.groups[resources].covered;
  const FlavorId flavor = candidate.flavor;
  Trying trying{.grade = {.mode = FlavorMode::fit, .borrow = 0}};
  for (Amount request : group.requests) {
    const auto at = std::ranges::find(covered, request.resource);
    if (at == covered.end()) continue;
    const std::size_t first_obstacle = assignment_.obstacles.size();
    if (question_.slice != nullptr && !leave_slice(group, flavor, request)) {
      trying.grade = {.mode = FlavorMode::no_fit,
                      .borrow = std::numeric_limits<std::int32_t>::max()};
      trying.cause = std::max(trying.cause, NoFitCause::no_matching_flavor);
    }
    const FlavorResourceId pair = candidate.pairs[static_cast<std::size_t>(at - covered.begin())];
    const QuotaAnswer answer = ask_quota(flavor, pair, request);
    trying.cause = std::max(trying.cause, answer.cause);
    trying.borrow_max = std::max(trying.borrow_max, answer.grade.borrow);
    if (is_better(trying.grade, answer.grade)) trying.grade = answer.grade;
    explain(group, flavor, request.resource, answer.grade.mode, answer.grade.borrow,
            first_obstacle);
    if (trying.grade.mode == FlavorMode::no_fit) continue;
    trying.flavors.push_back({.resource = request.resource,
                              .flavor = flavor,
                              .flavor_resource = pair,
                              .mode = mode_of(answer.grade.mode),
                              .borrow = answer.grade.borrow});
  }
  return trying;
}

// Whether the flavor is left out before its quota is asked; says why.
bool FlavorSearch::is_left_out(const PodSetGroup& group, std::uint32_t resources, FlavorId flavor,
                               ResourceId resource) {
  const std::size_t first_obstacle = assignment_.obstacles.size();
  if (question_.request.nominated != nullptr && !is_nominated(group, flavor, resource)) {
    object({.type = Obstacle::Type::not_nominated, .flavor = flavor, .resource = resource});
    return true;
  }
  const FlavorMatch match{.tables = question_.tables,
                          .policy = question_.policy,
                          .workload = question_.workload,
                          .covered = question_.queue.spec.groups[resources].covered,
                          .is_topology_queue = question_.is_topology_queue};
  const auto obstacle = match.mismatch(flavor, group.pod_sets);
  if (!obstacle) return false;
  object(*obstacle);
  if (obstacle->type == Obstacle::Type::unreadable_affinity) {
    const Labels& labels = question_.tables.flavors[flavor].spec.node_labels;
    error_ = question_.workload.pod_sets[obstacle->index].terms.flavor_complaint(labels);
  }
  assignment_.attempts.push_back({.flavor = flavor,
                                  .group = resources,
                                  .mode = FlavorMode::no_fit,
                                  .cause = NoFitCause::no_matching_flavor,
                                  .first_obstacle = static_cast<std::uint32_t>(first_obstacle),
                                  .obstacle_count = 1});
  explain(group, flavor, resource, FlavorMode::no_fit, 0, first_obstacle);
  return true;
}

FlavorChoice FlavorSearch::run(const PodSetGroup& group, ResourceId resource) {
  const auto resources = resource_group_of(question_.queue, resource);
  if (!resources) {
    object({.type = Obstacle::Type::resource_unavailable, .resource = resource});
    return {};
  }
  const std::vector<GroupFlavor>& flavors = question_.queue.groups[*resources];
  const bool is_fungible = question_.enabled(Gate::flavor_fungibility);
  const bool resumes = is_fungible && question_.last != nullptr;
  FlavorChoice best;
  Grade best_grade;
  std::size_t i = resumes ? question_.last->next_flavor(group.pod_sets[0], resource) : 0;
  if (i >= flavors.size()) i = 0;  // the queue has lost flavors since
  std::size_t end = i;             // behind the last one that was looked at
  for (; i < flavors.size(); ++i) {
    end = i + 1;
    const FlavorId flavor = flavors[i].flavor;
    if (is_left_out(group, *resources, flavor, resource)) {
      if (!error_.empty()) return {.mode = FlavorMode::no_fit, .flavors = {}, .error = error_};
      continue;
    }
    const std::size_t first_obstacle = assignment_.obstacles.size();
    Trying trying = try_flavor(group, *resources, flavors[i]);
    const std::size_t obstacles = assignment_.obstacles.size() - first_obstacle;
    assignment_.attempts.push_back({.flavor = flavor,
                                    .group = *resources,
                                    .mode = trying.grade.mode,
                                    .cause = trying.cause,
                                    .borrow = trying.borrow_max,
                                    .first_obstacle = static_cast<std::uint32_t>(first_obstacle),
                                    .obstacle_count = static_cast<std::uint32_t>(obstacles)});
    const bool stops = is_fungible ? !goes_on(trying.grade) : trying.grade.mode == FlavorMode::fit;
    const bool wins =
        is_fungible ? is_better(trying.grade, best_grade) : trying.grade.mode > best_grade.mode;
    if (stops || wins) {
      best = {.mode = trying.grade.mode, .flavors = std::move(trying.flavors)};
      best_grade = trying.grade;
    }
    if (stops) break;
  }
  if (!is_fungible) return best;
  const bool is_last = end == flavors.size();
  for (FlavorAssignment& each : best.flavors) {
    each.tried = is_last ? all_tried : static_cast<std::int32_t>(end) - 1;
  }
  return best;
}

}  // namespace muster::core
