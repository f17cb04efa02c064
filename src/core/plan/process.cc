// The heads of a cycle in order, each with what was taken by those before it: it is admitted,
// preempts, waits, or is evicted. What it takes stays taken for those behind it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/admission/admission_usage.h"
#include "core/admission/fair_tournament.h"
#include "core/admission/find_assignment.h"
#include "core/admission/order_entries.h"
#include "core/model/expect_memory.h"
#include "core/model/second_pass.h"
#include "core/model/workload_usage.h"
#include "core/plan/cycle.h"

namespace muster::core {

namespace {

bool contains(const std::vector<WorkloadId>& list, WorkloadId id) {
  return std::ranges::find(list, id) != list.end();
}

bool overlaps(const Cycle& cycle, const Decision& entry) {
  return std::ranges::any_of(entry.targets, [&](const Target& target) {
    return contains(cycle.preempted, target.workload);
  });
}

void count_on_leaving(Cycle& cycle, const Decision& entry) {
  for (const Target& target : entry.targets) {
    if (!contains(cycle.preempted, target.workload)) cycle.preempted.push_back(target.workload);
  }
}

// Whether the usage fits once the victims of this cycle and the entry's own are gone.
FitCheck fits(Cycle& cycle, const Decision& entry, const AdmissionUsage& usage) {
  Tables& tables = cycle.tables;
  if (cycle.preempted.empty() && entry.targets.empty()) {
    return check_fit(tables, cycle.policy, entry.queue, usage);
  }
  Trial without(tables.undo);
  for (const WorkloadId victim : cycle.preempted) release_usage(tables, without, victim);
  for (auto target = entry.targets.begin(); target != entry.targets.end(); ++target) {
    // The slice that is replaced may be a victim too, and leaves once.
    const bool is_gone = contains(cycle.preempted, target->workload) ||
                         std::any_of(entry.targets.begin(), target, [&](const Target& other) {
                           return other.workload == target->workload;
                         });
    if (!is_gone) release_usage(tables, without, target->workload);
  }
  return check_fit(tables, cycle.policy, entry.queue, usage);
}

// What victims hold is free when they have stopped, and not in the cycle that sends them away: the
// usage has to fit beside them as well, though not beside what is taken for those they make way
// for.
bool fits_beside_victims(Cycle& cycle, const Decision& entry, const AdmissionUsage& usage) {
  if (cycle.preempted.empty() || cycle.policy.admits_on_credit) return true;
  Tables& tables = cycle.tables;
  Trial now(tables.undo);
  for (const auto& [queue, taken] : cycle.on_credit) give(tables, now, queue, taken);
  for (const Target& target : entry.targets) release_usage(tables, now, target.workload);
  return usage_fits(tables, entry.queue, usage.quota);
}

// Those who wait for victims to stop, and take in the trial what they will have then.
void take_on_credit(Cycle& cycle, const Decision& entry, AdmissionUsage usage) {
  take(cycle.tables, cycle.trial, entry.queue, usage);
  cycle.on_credit.emplace_back(entry.queue, std::move(usage));
}

// The nominated flavors once more, on the state that those before this one have left.
void assign_again(Cycle& cycle, Decision& entry) {
  Tables& tables = cycle.tables;
  const AssignmentRef nominated = entry.assignment;
  Nomination again = find_assignment(tables, cycle.trial, cycle.policy,
                                     {.workload = entry.workload,
                                      .queue = entry.queue,
                                      .moment = tables.moment_of(entry.workload, entry.queue),
                                      .nominated = &*nominated});
  entry.assignment = again.assignment;
  entry.targets = std::move(again.targets);
}

// Topologies are nominated for each head alone, so they often collide, and so do victims: what the
// heads before this one have left may still do.
bool refresh_if_needed(Cycle& cycle, Decision& entry, AdmissionUsage& usage) {
  const FeatureGates& gates = cycle.policy.kueue.gates;
  FitCheck check = fits(cycle, entry, usage);
  const bool other_domains = check == FitCheck::no_topology &&
                             gates.enabled(Gate::tas_recompute_assignment_within_scheduling_cycle);
  const bool other_victims =
      gates.enabled(Gate::recompute_assignment_upon_preemption_targets_overlap) &&
      overlaps(cycle, entry);
  if (!other_domains && !other_victims) return check == FitCheck::fits;
  if (other_victims) {
    Trial without(cycle.tables.undo);
    for (const WorkloadId victim : cycle.preempted) {
      release_usage(cycle.tables, without, victim);
    }
    assign_again(cycle, entry);
    if (entry.assignment->mode == AssignmentMode::fit) {
      set_mode(entry.assignment.edit(), AssignmentMode::deferred_fit);
    }
  } else {
    assign_again(cycle, entry);
  }
  usage = net_usage(cycle.tables, entry);
  return fits(cycle, entry, usage) == FitCheck::fits;
}

void skip(const Cycle& cycle, Decision& entry, WaitWord word) {
  entry.word = word;
  entry.requeue_reason = RequeueReason::failed_after_nomination;
  entry.forgets_tried =
      !cycle.policy.kueue.gates.enabled(Gate::flavor_fungibility_preserve_scan_progress);
}

// Nobody may be preempted for it now. Unless it can reclaim its quota at any time, what it may use
// is kept, so that heads behind it do not slip in.
void wait_for_quota(Cycle& cycle, Decision& entry) {
  entry.requeue_reason = RequeueReason::preemption_no_candidates;
  const ClusterQueueRow& queue = cycle.tables.cluster_queues[entry.queue];
  const bool reclaims = queue.spec.preemption.reclaim_within_cohort == PreemptionPolicy::any;
  const bool preempts = entry.is_preemptor && cycle.policy.lets_preemptors_go_first();
  if (reclaims && !preempts) return;
  AdmissionUsage usage = usage_to_reserve(cycle.tables, entry);
  take(cycle.tables, cycle.trial, entry.queue, usage);
  if (cycle.policy.backfill == Backfill::reserve) {
    cycle.kept.emplace(entry.workload, std::move(usage));
  }
}

bool is_gated(const Cycle& cycle, const Decision& entry) {
  const FeatureGates& gates = cycle.policy.kueue.gates;
  return (gates.enabled(Gate::concurrent_admission) ||
          gates.enabled(Gate::multi_kueue_orchestrated_preemption)) &&
         cycle.tables.workloads[entry.workload].spec.has_closed_preemption_gate;
}

// Answers whether the entry is dealt with before anything of it is taken.
bool stops_early(Cycle& cycle, Decision& entry, const AdmissionUsage& usage) {
  const WorkloadRow& row = cycle.tables.workloads[entry.workload];
  const AssignmentMode mode = entry.assignment->mode;
  if (mode != AssignmentMode::fit && has_unhealthy_place(row.spec) &&
      cycle.policy.kueue.gates.enabled(Gate::tas_failed_node_replacement_fail_fast)) {
    entry.type = Decision::Type::evict;
    return true;
  }
  if (mode == AssignmentMode::no_fit) {
    entry.requeue_reason = RequeueReason::no_fit;
    return true;
  }
  if (mode == AssignmentMode::preempt && entry.targets.empty()) {
    wait_for_quota(cycle, entry);
    return true;
  }
  if (mode == AssignmentMode::preempt && is_gated(cycle, entry)) {
    entry.word = WaitWord::gated;
    entry.requeue_reason = RequeueReason::preemption_gated;
    entry.forgets_tried = true;
    return true;
  }
  if (mode == AssignmentMode::deferred_fit) {
    entry.word = WaitWord::deferred_fit;
    entry.requeue_reason = RequeueReason::pending_preemption;
    entry.forgets_tried = true;
    take_on_credit(cycle, entry, usage);
    return true;
  }
  return false;
}

// The slice that the workload replaces goes when it is admitted; it is nobody's victim.
void part_slice(Decision& entry) {
  const auto slice =
      std::ranges::find(entry.targets, entry.assignment->replaced_slice, &Target::workload);
  if (entry.assignment->replaced_slice.is_none() || slice == entry.targets.end()) return;
  entry.replaced_slice = slice->workload;
  entry.targets.erase(slice);
}

void preempt(Cycle& cycle, Decision& entry) {
  entry.type = Decision::Type::preempt;
  entry.word = WaitWord::preempting;
  entry.requeue_reason = RequeueReason::pending_preemption;
  entry.forgets_tried = true;
  entry.is_new = std::ranges::any_of(entry.targets, [&](const Target& target) {
    const WorkloadRow& row = cycle.tables.workloads[target.workload];
    return !row.spec.is_evicted && !row.assumed_evicted;
  });
}

// Admissions come one at a time where every admitted workload has to be ready first.
bool waits_for_ready_pods(const Cycle& cycle, const Decision& entry) {
  if (!cycle.policy.kueue.wait_for_pods_ready.block_admission || entry.is_second_pass) return false;
  return cycle.not_ready + cycle.tables.not_ready_count > 0;
}

void stay_without_place(const Cycle& cycle, Decision& entry, Reason reason) {
  if (cycle.took_places) {
    // Nobody knows yet whether the nodes of this flavor have room: it must not go on to the next.
    skip(cycle, entry, WaitWord::lost_race);
    entry.forgets_tried = true;
    return;
  }
  entry.word = WaitWord::no_place;
  entry.objection = std::move(reason);
}

// Those of this cycle who went before may have taken the room: then the next cycle tells.
void stay_without_room(const Cycle& cycle, Decision& entry, Reason reason) {
  entry.targets.clear();
  const objects::ObjectKey key = object_key(cycle.tables.workloads.key(entry.workload));
  if (cycle.quota_taken.contains(key.name_space)) return skip(cycle, entry, WaitWord::lost_race);
  entry.word = WaitWord::no_room;
  entry.objection = std::move(reason);
  entry.requeue_reason = RequeueReason::resource_quota;
  entry.forgets_tried = true;
}

void wait_for_leaving(Decision& entry, Reason reason) {
  reason.detail += "; waiting for pods that are being deleted to make room";
  entry.word = WaitWord::no_place;
  entry.objection = std::move(reason);
  entry.requeue_reason = RequeueReason::pending_preemption;
  entry.forgets_tried = true;
}

std::optional<Reason> find_place(Cycle& cycle, Decision& entry) {
  NeighbourFilter::Earlier& placed = cycle.places.placed();
  const std::size_t placed_before = placed.size();
  Trial room(cycle.tables.undo);
  std::optional<Reason> reason = place_entry(cycle, room, entry);
  if (reason) return reason;
  room.commit();
  // Its decision waits (leave_alone_who_is_told): the room is kept, but nobody stands there whom
  // others may count on.
  if (cycle.tables.is_being_told(entry.workload)) placed.forget_after(placed_before);
  return std::nullopt;
}

void admit(Cycle& cycle, Decision& entry, Trial& trial) {
  if (waits_for_ready_pods(cycle, entry)) {
    entry.word = WaitWord::pods_ready;
    entry.requeue_reason = RequeueReason::failed_after_nomination;
    cycle.plan.is_blocked = true;
    return;
  }
  if (auto reason = find_place(cycle, entry)) {
    if (!cycle.tables.leaving_pods.empty() && !place_later(cycle, entry)) {
      trial.commit();  // the quota is kept, or those who make room would come back to it first
      return wait_for_leaving(entry, *std::move(reason));
    }
    return stay_without_place(cycle, entry, *std::move(reason));
  }
  trial.commit();
  if (!cycle.tables.workloads[entry.workload].spec.is_active) {
    entry.word = WaitWord::deactivated;
    return;
  }
  entry.type = Decision::Type::admit;
  entry.is_admitted = is_admitted_at_once(cycle.tables, entry);
  take_of_quota(cycle, entry);
  // Who is said to have ready pods counts as ready, whoever left that word behind.
  if (!cycle.tables.workloads[entry.workload].spec.are_pods_ready) ++cycle.not_ready;
}

void process(Cycle& cycle, Decision& entry) {
  Tables& tables = cycle.tables;
  AdmissionUsage usage = net_usage(tables, entry);
  const bool is_fit = refresh_if_needed(cycle, entry, usage);
  if (stops_early(cycle, entry, usage)) return;
  if (overlaps(cycle, entry)) return skip(cycle, entry, WaitWord::overlapping);
  if (!is_fit) return skip(cycle, entry, WaitWord::lost_race);
  if (auto reason = quota_objection(cycle, entry)) {
    return stay_without_room(cycle, entry, *std::move(reason));
  }
  if (entry.assignment->mode == AssignmentMode::preempt) {
    if (auto reason = place_later(cycle, entry)) {
      entry.targets.clear();
      return stay_without_place(cycle, entry, *std::move(reason));
    }
  }
  // Nobody goes for one who may not start then.
  if (cycle.policy.backfill == Backfill::reserve && delays_first(cycle, entry)) {
    entry.targets.clear();
    entry.word = WaitWord::reserved;
    entry.objection = Reason{.type = Reason::Type::kept_for_first,
                             .name = cycle.tables.cluster_queues.key(entry.queue)};
    return;
  }
  if (entry.assignment->mode != AssignmentMode::preempt &&
      !fits_beside_victims(cycle, entry, usage)) {
    return skip(cycle, entry, WaitWord::lost_race);
  }
  count_on_leaving(cycle, entry);
  part_slice(entry);
  if (entry.assignment->mode == AssignmentMode::preempt) {
    take_on_credit(cycle, entry, std::move(usage));
    return preempt(cycle, entry);
  }
  if (placement_in(cycle, entry.queue) != Placement::none) keep_room(cycle);
  Trial trial(tables.undo);
  take(tables, trial, entry.queue, usage);
  admit(cycle, entry, trial);
}

// It has its turn soon: it was tried a while ago, with all others in between.
void expect_entry(const Cycle& cycle, const Decision& entry) {
  cycle.tables.workloads.expect(entry.workload);
  expect_memory(&*entry.assignment, sizeof(Assignment));
}

void process_fairly(Cycle& cycle, std::vector<std::size_t>& order) {
  FairTournament tournament(cycle.tables, cycle.policy, cycle.entries);
  while (!cycle.plan.is_blocked) {
    const auto at = tournament.next();
    if (!at) return;
    process(cycle, cycle.entries[*at]);
    tournament.usage_changed(*at);
    order.push_back(*at);
  }
}

// Puts the entries in that order, which names each of them once.
void arrange(std::vector<Decision>& entries, std::vector<std::size_t>& order) {
  for (std::size_t first = 0; first < order.size(); ++first) {
    if (order[first] == first) continue;
    Decision displaced = std::move(entries[first]);
    std::size_t at = first;
    while (order[at] != first) {
      entries[at] = std::move(entries[order[at]]);
      at = std::exchange(order[at], at);
    }
    entries[at] = std::move(displaced);
    order[at] = at;
  }
}

// A cycle that waits for ready pods does not end: its heads are still in its hand, and come again
// as if they had not been tried.
void stay_in_hand(Cycle& cycle, std::size_t reached) {
  std::vector<Decision>& entries = cycle.entries;
  for (std::size_t i = 0; i < reached; ++i) {
    if (entries[i].type == Decision::Type::admit) continue;
    entries[i].requeue_reason = RequeueReason::failed_after_nomination;
    entries[i].forgets_tried = true;
  }
  for (std::size_t i = reached; i < entries.size(); ++i) {
    cycle.plan.unreached.push_back(entries[i].workload);
  }
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(reached), entries.end());
  for (const Decision& entry : cycle.inadmissible) cycle.plan.unreached.push_back(entry.workload);
  cycle.inadmissible.clear();
}

// A word to somebody on its way would be written over: its decision waits for the answer. It takes
// part in the cycle nevertheless, or what it keeps, or made free, would be given to others.
void leave_alone_who_is_told(Cycle& cycle) {
  std::erase_if(cycle.plan.decisions, [&](const Decision& decision) {
    return !decision.is_second_pass && cycle.tables.is_being_told(decision.workload);
  });
}

}  // namespace

void process_all(Cycle& cycle) {
  std::vector<std::size_t> order;
  if (cycle.policy.kueue.fair_sharing.enabled) {
    process_fairly(cycle, order);
  } else {
    order = order_entries(cycle.tables, cycle.policy, cycle.entries);
    for (std::size_t i = 0; i < order.size() && !cycle.plan.is_blocked; ++i) {
      if (i + 3 < order.size()) expect_entry(cycle, cycle.entries[order[i + 3]]);
      process(cycle, cycle.entries[order[i]]);
      if (cycle.plan.is_blocked) order.resize(i + 1);
    }
  }
  if (cycle.policy.backfill == Backfill::reserve && !cycle.plan.is_blocked) {
    const std::size_t before = cycle.entries.size();
    backfill(cycle);
    for (std::size_t at = before; at < cycle.entries.size(); ++at) order.push_back(at);
  }
  // A second pass that a tournament left out comes again.
  const std::size_t reached = order.size();
  std::vector<bool> is_reached(cycle.entries.size(), false);
  for (const std::size_t at : order) is_reached[at] = true;
  for (std::size_t at = 0; at < is_reached.size(); ++at) {
    if (!is_reached[at]) order.push_back(at);
  }
  arrange(cycle.entries, order);
  if (cycle.plan.is_blocked) stay_in_hand(cycle, reached);
  std::ranges::move(cycle.inadmissible, std::back_inserter(cycle.entries));
  cycle.plan.decisions = std::move(cycle.entries);
  leave_alone_who_is_told(cycle);
}

}  // namespace muster::core
