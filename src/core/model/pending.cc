// ClusterState, the part of waiting: who stands in which queue, who was tried, and what wakes whom.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/model/expect_memory.h"
#include "core/model/second_pass.h"
#include "core/model/tables.h"
#include "core/plan/decision.h"
#include "objects/metadata.h"

namespace muster::core {

WorkloadId Tables::head_of(ClusterQueueId id) const {
  const WorkloadId head = pending.head(id);
  if (head.is_none() || is_being_told(head)) return WorkloadId::none();
  return head;
}

void Tables::refresh_ready(ClusterQueueId id) {
  ClusterQueueRow& row = cluster_queues[id];
  const bool was_ready = row.ready_position != ClusterQueueRow::not_ready;
  const bool is_ready = row.is_stirred && row.is_active && !head_of(id).is_none();
  if (was_ready == is_ready) return;
  if (is_ready) {
    row.ready_position = static_cast<std::uint32_t>(ready_queues.size());
    ready_queues.push_back(id);
    return;
  }
  const ClusterQueueId last = ready_queues.back();
  ready_queues[row.ready_position] = last;
  cluster_queues[last].ready_position = row.ready_position;
  ready_queues.pop_back();
  row.ready_position = ClusterQueueRow::not_ready;
}

void Tables::stir(ClusterQueueId id) {
  cluster_queues[id].is_stirred = true;
  refresh_ready(id);
}

void Tables::stir_tree(ClusterQueueId id) {
  stir_trees({id});
}

void Tables::stir_trees(const std::vector<ClusterQueueId>& queues) {
  if (queues.empty()) return;
  std::vector<bool> seen(quota.node_slots(), false);
  for (const ClusterQueueId id : queues) {
    const QuotaNodeId node = cluster_queues[id].node;
    const QuotaNodeId root = node.is_none() ? node : quota.root(node);
    if (root.is_none() || seen[root.index()]) continue;
    seen[root.index()] = true;
    if (root == node) {  // it stands alone
      stir(id);
      continue;
    }
    for (const QuotaNodeId each : quota.subtree_of(root)) {
      if (quota.is_cluster_queue(each)) stir(quota.cluster_queue(each));
    }
  }
}

const std::vector<std::uint32_t>& Tables::ranks_by_name() {
  if (ranked_version_ != cluster_queues.version()) {
    ranked_version_ = cluster_queues.version();
    std::vector<ClusterQueueId> all;
    cluster_queues.for_each([&](ClusterQueueId id, const ClusterQueueRow&) { all.push_back(id); });
    std::ranges::sort(
        all, {}, [&](ClusterQueueId id) -> const std::string& { return cluster_queues.key(id); });
    queue_ranks_.resize(cluster_queues.slots());
    for (std::uint32_t i = 0; i < all.size(); ++i) queue_ranks_[all[i].index()] = i;
  }
  return queue_ranks_;
}

bool Tables::rests(const WorkloadRow& row) const {
  return !row.spec.may_requeue ||
         (row.spec.extras->requeue_at && *row.spec.extras->requeue_at > now);
}

QueueTicket Tables::ticket_of(WorkloadId id) const {
  const WorkloadRow& row = workloads[id];
  return {.priority = row.spec.effective_priority(),
          .since = row.spec.queued_since(),
          .uid = &row.uid,
          .key = &workloads.key(id),
          .equivalence = kind_of(row),
          .local_queue = row.local_queue,
          .uid_prefix = row.uid_head};
}

SearchMoment Tables::moment_of(WorkloadId workload, ClusterQueueId queue) const {
  return {.cycle = cycle_count + 1,
          .generation = static_cast<std::int64_t>(allocatable_generation(cluster_queues[queue])),
          .shape = workloads[workload].spec.equivalence};
}

// Puts a workload that asks to be admitted where it belongs at the moment.
void Tables::enqueue(WorkloadId id, bool parked) {
  WorkloadRow& row = workloads[id];
  const std::string& key = workloads.key(id);
  if (!row.spec.is_pending()) return;
  const Blocker blocker = blocker_of(row);
  if (blocker != Blocker::none) untold.emplace(key, id);
  if (blocker != Blocker::none && blocker != Blocker::cluster_queue_inactive) {
    row.standing = Standing::stranded;
    return;
  }
  row.standing = Standing::waiting;
  row.queued_in = cluster_queues.hold(local_queues[row.local_queue].cluster_queue);
  const bool is_strict =
      cluster_queues[row.queued_in].spec.strategy == QueueingStrategy::strict_fifo;
  const QueueTicket ticket = ticket_of(id);
  if (row.spec.extras->requeue_at && *row.spec.extras->requeue_at > now) {
    resting_until.emplace(*row.spec.extras->requeue_at, key);
  }
  if (rests(row) || parked) {
    pending.enter_parked(row.queued_in, id, ticket);
  } else if (!is_strict && pending.is_parked_kind(row.queued_in, ticket.equivalence)) {
    pending.enter_with_kind(row.queued_in, id, ticket);
  } else {
    pending.enter(row.queued_in, id, ticket);
  }
  if (pending.head(row.queued_in) == id) stir(row.queued_in);
  if (!objects::is_false(objects::condition(row.object, "QuotaReserved"))) note_unsaid(id);
}

// It stands in a queue and its object does not say why. While a word to it is under way it gets no
// second one: the answer to the one could not be told from that to the other.
void Tables::note_unsaid(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  if (row.is_unsaid || !row.telling.empty()) return;
  row.is_unsaid = true;
  std::vector<WorkloadId>& unsaid = cluster_queues[row.queued_in].unsaid;
  if (unsaid.empty()) unsaid_queues.push_back(row.queued_in);
  unsaid.push_back(id);
}

// Before it is told something or leaves its queue.
void Tables::note_said(WorkloadId id) {
  const WorkloadRow& row = workloads[id];
  if (!row.is_unsaid || row.queued_in.is_none()) return;
  const std::vector<WorkloadId>& unsaid = cluster_queues[row.queued_in].unsaid;
  if (!unsaid.empty() && unsaid.back() == id) stale_unsaid_.push_back(row.queued_in);
}

bool Tables::is_unsaid(WorkloadId id, ClusterQueueId queue) const {
  return workloads[id].is_unsaid && workloads[id].queued_in == queue;
}

// The last two of its list, whose rows nobody may have looked at since they left.
void Tables::expect_unsaid(ClusterQueueId queue) const {
  const std::vector<WorkloadId>& unsaid = cluster_queues[queue].unsaid;
  for (std::size_t i = unsaid.size(); i-- > 0 && i + 2 >= unsaid.size();) {
    expect_line(&workloads[unsaid[i]].queued_in);
    expect_line(&workloads[unsaid[i]].is_unsaid);
  }
}

// Those that were told or have left are forgotten, from the end of the list on; so are queues that
// have nobody left. Each is looked at once, and no queue whose last one still waits for a word.
void Tables::sweep_unsaid() {
  bool is_one_empty = false;
  for (std::size_t i = 0; i < stale_unsaid_.size(); ++i) {
    constexpr std::size_t ahead = 4;
    if (i + ahead < stale_unsaid_.size()) expect_unsaid(stale_unsaid_[i + ahead]);
    const ClusterQueueId queue = stale_unsaid_[i];
    std::vector<WorkloadId>& unsaid = cluster_queues[queue].unsaid;
    while (!unsaid.empty() && !is_unsaid(unsaid.back(), queue)) {
      if (workloads[unsaid.back()].queued_in != queue) workloads[unsaid.back()].is_unsaid = false;
      unsaid.pop_back();
    }
    is_one_empty = is_one_empty || unsaid.empty();
  }
  stale_unsaid_.clear();
  if (!is_one_empty) return;
  std::erase_if(unsaid_queues,
                [&](ClusterQueueId queue) { return cluster_queues[queue].unsaid.empty(); });
}

bool Tables::is_silent(ClusterQueueId queue) const {
  const ClusterQueueRow& row = cluster_queues[queue];
  return row.ready_position == ClusterQueueRow::not_ready && row.is_active && !row.unsaid.empty() &&
         is_unsaid(row.unsaid.back(), queue);
}

bool Tables::has_unsaid() const {
  return std::ranges::any_of(unsaid_queues, [&](ClusterQueueId queue) { return is_silent(queue); });
}

void Tables::dequeue(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  const std::string& key = workloads.key(id);
  untold.erase(key);
  if (row.queued_in.is_none()) return;
  if (row.spec.extras->requeue_at) resting_until.erase({*row.spec.extras->requeue_at, key});
  const bool was_head = pending.head(row.queued_in) == id;
  pending.leave(id);
  if (was_head) stir(row.queued_in);
  note_said(id);
  cluster_queues.release(row.queued_in);
  row.queued_in = ClusterQueueId::none();
  if (waiting_for_place.erase(key) > 0) gangs_seeking_company.erase(id);
}

// Who stands in the right queue keeps its place there.
void Tables::requeue(WorkloadId id) {
  const WorkloadRow& row = workloads[id];
  const Blocker blocker = blocker_of(row);
  const bool may_wait = blocker == Blocker::none || blocker == Blocker::cluster_queue_inactive;
  if (row.standing == Standing::waiting && may_wait &&
      row.queued_in == local_queues[row.local_queue].cluster_queue) {
    untold.erase(workloads.key(id));
    if (blocker != Blocker::none) untold.emplace(workloads.key(id), id);
    refresh_ready(row.queued_in);
    return;
  }
  dequeue(id);
  enqueue(id, false);
}

// A head goes back to its queue after it was tried.
void Tables::assume_requeued(const Decision& decision) {
  WorkloadRow& row = workloads[decision.workload];
  if (decision.is_second_pass) {
    ++row.second_pass_tries;
    if (!row.second_pass_at) return;
    second_passes.erase({*row.second_pass_at, decision.workload});
    row.second_pass_at = now + second_pass_delay(row.second_pass_tries + 1);
    second_passes.emplace(*row.second_pass_at, decision.workload);
    return;
  }
  if (row.standing != Standing::waiting) return;
  const PendingPlace place = place_after(*this, decision);
  if (decision.was_tried) row.last_tried = decision.assignment->tried;
  if (decision.forgets_tried) row.last_tried = {};
  row.waits_for = cause_of(decision);
  note_said(decision.workload);
  row.is_unsaid = false;
  ClusterQueueRow& queue = cluster_queues[decision.queue];
  queue.is_stirred = row.last_tried.has_pending_flavors();
  if (decision.requeue_reason == RequeueReason::pending_preemption) {
    pending.set_preemptor(decision.workload,
                          {.generation = objects::generation_of(row.object),
                           .is_sticky = queue.spec.strategy != QueueingStrategy::strict_fifo});
  }
  if (place == PendingPlace::inadmissible) {
    if (parks_equivalents(*this, decision)) {
      pending.park_equivalent(decision.workload, row.waits_for);
    } else {
      pending.park(decision.workload);
    }
    queue.is_stirred = true;
  }
  if (decision.requeue_reason == RequeueReason::resource_quota) {
    QuotaPage* page = quota_page_of(workloads.key(decision.workload));
    if (page != nullptr) page->blocked.insert(cluster_queues.key(decision.queue));
  }
  // Nothing is said while flavors are left to try, nor to who lost a race; should another become
  // the head meanwhile, it is.
  const bool goes_on = row.last_tried.has_pending_flavors() &&
                       configuration.gates.enabled(Gate::flavor_fungibility_preserve_scan_progress);
  const bool is_tried_again = goes_on || decision.word == WaitWord::lost_race;
  const bool says_nothing = place == PendingPlace::active && is_tried_again &&
                            !objects::is_false(objects::condition(row.object, "QuotaReserved"));
  if (says_nothing) note_unsaid(decision.workload);
  // What is kept for the first one depends on the nodes as well: whether they could ever take it.
  if (decision.word == WaitWord::no_place || decision.word == WaitWord::reserved) {
    await_place(decision.workload);
  }
  refresh_ready(decision.queue);
  expect_head(decision.queue);
}

// Whoever comes next is tried by the next cycle.
void Tables::expect_head(ClusterQueueId queue) const {
  const WorkloadId head = pending.head(queue);
  if (head.is_none()) return;
  workloads.expect(head);
  workloads[head].spec.pod_sets.expect();
  pending.expect_head(queue);
  expect_successor(queue);
}

void Tables::expect_assumption(const Decision& decision) const {
  workloads.expect(decision.workload);
  cluster_queues.expect(decision.queue);
  pending.expect(decision.workload);
  pending.expect_queue(decision.queue);
}

void Tables::expect_lists(const Decision& decision) const {
  const ClusterQueueRow& queue = cluster_queues[decision.queue];
  queue.candidates.expect();
  queue.reserving.expect();
  if (!queue.unsaid.empty()) expect_line(&queue.unsaid.back());
  pending.expect_lane(decision.queue, decision.workload);
}

void Tables::expect_entries(const Decision& decision) const {
  cluster_queues[decision.queue].candidates.expect_entries();
  pending.expect_members(decision.queue, decision.workload);
}

// Whoever comes after the head is looked at when that one leaves.
void Tables::expect_successor(ClusterQueueId queue) const {
  const WorkloadId next = pending.expect_successor(queue);
  if (!next.is_none()) workloads.expect(next);
}

// A head whose cycle ended before its turn.
void Tables::assume_unreached(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  if (row.standing != Standing::waiting) return;
  row.last_tried = {};
  if (rests(row)) pending.park(id);
  refresh_ready(row.queued_in);
}

// Beside the rows: it is asked of whoever becomes the head of a queue, whose row is not fetched
// yet.
void Tables::set_telling(WorkloadId id, std::string_view message) {
  const bool is_told = !message.empty();
  if (is_being_told(id) == is_told && !is_told) return;
  if (being_told_.size() <= id.index()) being_told_.resize(id.index() + 1, false);
  being_told_[id.index()] = is_told;
  workloads[id].telling = message;
}

void Tables::assume_told(WorkloadId id, std::string_view message) {
  WorkloadRow& row = workloads[id];
  set_telling(id, message);
  note_said(id);
  row.is_unsaid = false;
  if (!row.queued_in.is_none()) refresh_ready(row.queued_in);
}

bool Tables::takes_from(const ClusterQueueRow& queue, LocalQueueId local_queue) const {
  const NamespaceId id = namespaces.find(object_key(local_queues.key(local_queue)).name_space);
  if (id.is_none() || !namespaces[id].present) return false;
  return queue.spec.namespace_selector.matches_by(
      [&](std::string_view key) { return find_label(namespaces[id].labels, key); });
}

void Tables::wake(ClusterQueueId id) {
  ClusterQueueRow& queue = cluster_queues[id];
  pending.forget_causes(id);
  LocalQueueId last;  // most lanes are of few LocalQueues
  bool takes_last = false;
  pending.wake(
      id,
      [&](LocalQueueId local_queue) {
        if (local_queue != last) takes_last = takes_from(queue, local_queue);
        last = local_queue;
        return takes_last;
      },
      [&](WorkloadId workload) { return !rests(workloads[workload]); });
  stir(id);
}

void Tables::retry_inadmissible() {
  const std::set<std::string> queues = std::move(retry_queues);
  const std::set<std::string> trees = std::move(retry_cohorts);
  retry_queues.clear();
  retry_cohorts.clear();
  for (const std::string& name : queues) {
    const ClusterQueueId id = cluster_queues.find(name);
    if (!id.is_none()) wake(id);
  }
  for (const std::string& name : trees) {
    const CohortId id = cohorts.find(name);
    if (!id.is_none() && !quota.has_cycle(cohorts[id].node)) wake_below(cohorts[id].node);
  }
}

void Tables::activate_all() {
  workloads.for_each([&](WorkloadId id, const WorkloadRow& row) {
    if (row.queued_in.is_none()) return;
    if (rests(row)) {
      pending.unpark_resting(id);
    } else {
      pending.unpark(id);
    }
    stir(row.queued_in);
  });
  // Every tree is asked again after the first cycle, in whatever order things were heard of.
  retry_queues.clear();
  retry_cohorts.clear();
  cluster_queues.for_each([&](ClusterQueueId id, const ClusterQueueRow&) { wake_tree(id); });
}

// A flavor whose nodes were full is tried again: who went on to the next one would look there alone
// and, should that have no quota, never hear of nodes again.
void Tables::wake_for_places() {
  for (const auto& [key, id] : waiting_for_place) {
    workloads[id].last_tried = {};
    pending.unpark(id);
    stir(workloads[id].queued_in);
  }
  waiting_for_place.clear();
  gangs_seeking_company.clear();
  note_held_back();
  wake_pods();
}

void Tables::await_place(WorkloadId id) {
  waiting_for_place.emplace(workloads.key(id), id);
  const bool seeks = std::ranges::any_of(workloads[id].spec.pod_sets, [](const GangPodSet& set) {
    return set.neighbours.seeks_company();
  });
  if (seeks) gangs_seeking_company.insert(id);
}

void Tables::note_company() {
  if (company_seekers > 0 || !gangs_seeking_company.empty()) has_new_company_ = true;
}

// Those whose condition is being written stay until that is done.
void Tables::wake_pods() {
  for (auto at = parked_pods.begin(); at != parked_pods.end();) {
    const auto next = std::next(at);
    PodRow& row = pods[pods.find(at->second)];
    row.wakes_later = !row.telling.empty();
    if (!row.wakes_later) loose_pods.insert(parked_pods.extract(at));
    at = next;
  }
}

// The reason stands on the object, or will not: from now on it may be tried again.
void Tables::end_telling(WorkloadId id) {
  set_telling(id, {});
  const WorkloadRow& row = workloads[id];
  if (!row.queued_in.is_none()) refresh_ready(row.queued_in);
}

void Tables::wake_active_trees() {
  cluster_queues.for_each([&](ClusterQueueId id, const ClusterQueueRow& row) {
    if (row.is_active) wake_tree(id);
  });
}

namespace {

// Its pause is ours alone, and the clock on the wall may be set back: nobody waits for longer than
// the longest pause.
void bound_second_passes(Tables& tables) {
  constexpr int tries_many = 1'000;
  const Instant latest = tables.now + second_pass_delay(tries_many);
  auto& passes = tables.second_passes;
  while (!passes.empty() && passes.rbegin()->first > latest) {
    const WorkloadId id = passes.rbegin()->second;
    passes.erase(std::prev(passes.end()));
    tables.workloads[id].second_pass_at = latest;
    passes.emplace(latest, id);
  }
}

}  // namespace

void Tables::tick(Instant to) {
  now = to;
  sample_usage();
  bound_second_passes(*this);
  while (!resting_until.empty() && resting_until.begin()->first <= now) {
    const WorkloadId id = workloads.find(resting_until.begin()->second);
    resting_until.erase(resting_until.begin());
    if (id.is_none() || workloads[id].queued_in.is_none() || rests(workloads[id])) continue;
    pending.unpark(id);
    stir(workloads[id].queued_in);
  }
}

}  // namespace muster::core
