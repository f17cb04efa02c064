// ClusterState, the part of Workloads: what one takes from quota and nodes, and where it waits.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "core/model/expect_memory.h"
#include "core/model/incarnation.h"
#include "core/model/second_pass.h"
#include "core/model/tables.h"
#include "core/model/workload_parts.h"
#include "core/model/workload_usage.h"
#include "core/preemption/candidate_order.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

// Whether a pending workload asks the same as before: then its last answer still holds.
// `parts` are those of the object.
bool asks_the_same(const Workload& before, const Workload& now, View old_object,
                   const WorkloadParts& parts) {
  const bool is_read_the_same =
      before.is_pending() && now.is_pending() && before.priority_boost == now.priority_boost &&
      before.has_closed_preemption_gate == now.has_closed_preemption_gate &&
      before.has_failed_checks == now.has_failed_checks && before.equivalence == now.equivalence;
  if (!is_read_the_same || !(old_object["spec"] == parts.spec)) return false;
  const View old_status = old_object["status"];
  const WorkloadConditions old_conditions = conditions_of(old_status);
  return old_status["reclaimablePods"] == parts.reclaimable &&
         old_conditions.evicted.view == parts.conditions.evicted.view &&
         old_conditions.requeued.view == parts.conditions.requeued.view;
}

// Whether a priority that may change at run time did.
bool has_new_priority(const Workload& before, const Workload& now, const WorkloadParts& parts) {
  if (before.effective_priority() == now.effective_priority()) return false;
  return parts.spec["priorityClassRef"]["kind"].string_or("") == "WorkloadPriorityClass";
}

bool is_scaled_down(const Workload& before, const Workload& now) {
  bool has_fewer = false;
  for (std::size_t i = 0; i < std::min(before.pod_sets.size(), now.pod_sets.size()); ++i) {
    if (now.pod_sets[i].count > before.pod_sets[i].count) return false;
    has_fewer = has_fewer || now.pod_sets[i].count < before.pod_sets[i].count;
  }
  return has_fewer;
}

// Whether others may start because of what became of this one.
bool makes_way(const Workload& before, const Workload& now, View old_reclaimable,
               const WorkloadParts& parts) {
  if (now.is_finished || !now.is_active) return true;
  if (!before.is_quota_reserved) return false;
  if (!now.is_quota_reserved || is_scaled_down(before, now)) return true;
  if (before.is_admitted && now.is_admitted && !(old_reclaimable == parts.reclaimable)) return true;
  return has_new_priority(before, now, parts);
}

// Whether the reservation that the object shows is another than the one it had.
bool is_decided_anew(const WorkloadRow& row, const WorkloadParts& parts) {
  if (!row.shows_reservation || parts.conditions.evicted.is_true()) return true;
  const View status = row.object["status"];
  return !(status["admission"] == parts.admission) ||
         !(status["unhealthyNodes"] == parts.status["unhealthyNodes"]);
}

// The row's object from now on; the one before.
Value exchange_object(WorkloadRow& row, const Value& object, const WorkloadParts& parts) {
  row.pod_sets = parts.pod_sets.node();
  row.reclaimable = parts.reclaimable.node();
  row.uid = parts.uid;
  row.uid_head = uid_head(parts.uid);
  row.shows_reservation = parts.conditions.quota_reserved.is_true();
  row.shows_admitted = parts.conditions.admitted.is_true();
  return std::exchange(row.object, object);
}

// `team-a/train` without the memory that row_key() takes.
class KeyText {
 public:
  KeyText(std::string_view name_space, std::string_view name) {
    const std::size_t size = name_space.size() + 1 + name.size();
    char* const begin = size > near_.size() ? make_room(size) : near_.data();
    char* end = std::copy(name_space.begin(), name_space.end(), begin);
    if (!name_space.empty()) *end++ = '/';
    end = std::copy(name.begin(), name.end(), end);
    text_ = {begin, static_cast<std::size_t>(end - begin)};
  }
  KeyText(const KeyText&) = delete;
  KeyText& operator=(const KeyText&) = delete;

  std::string_view text() const { return text_; }

 private:
  char* make_room(std::size_t size) {
    far_.resize(size);
    return far_.data();
  }

  std::array<char, 320> near_;  // longer than the names that Kubernetes takes
  std::string far_;
  std::string_view text_;
};

// Those who share quota with the queue that the workload was sent to. Where that way is closed
// Kueue wakes nobody, and so does a plan; a running scheduler must not leave others asleep.
void wake_others(Tables& tables, LocalQueueId local_queue, ClusterQueueId reserved_in) {
  if (!local_queue.is_none()) {
    const Blocker blocker = tables.blocker_of(local_queue);
    if (blocker == Blocker::none || blocker == Blocker::cluster_queue_inactive) {
      return tables.wake_tree(tables.local_queues[local_queue].cluster_queue);
    }
  }
  if (!reserved_in.is_none() && !tables.holds_retries) tables.wake_tree(reserved_in);
}

}  // namespace

void Tables::plan_second_pass(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  if (row.second_pass_at) second_passes.erase({*row.second_pass_at, id});
  // Kueue looks at a deactivated one too, and so does a plan.
  const bool is_there =
      row.standing == Standing::reserved || (row.standing == Standing::resting && holds_retries);
  const bool is_needed =
      is_there && !row.assumed && !row.assumed_evicted && needs_second_pass(row.spec);
  if (!is_needed) {
    row.second_pass_at.reset();
    if (!row.assumed) row.second_pass_tries = 0;
    return;
  }
  if (!row.second_pass_at) row.second_pass_at = now;
  second_passes.emplace(*row.second_pass_at, id);
}

// Its namespace, queue and owner, which seldom change with its status.
void Tables::enter_names(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  const std::string_view key = workloads.key(id);
  const std::size_t slash = key.find('/');
  const std::string_view name_space = key.substr(0, slash == std::string_view::npos ? 0 : slash);
  row.name_space = namespaces.hold(name_space);
  row.local_queue = name_space.empty()
                        ? local_queues.hold("/" + row.spec.queue_name)
                        : local_queues.hold(KeyText(name_space, row.spec.queue_name).text());
  if (row.spec.owner_uid.empty()) return;
  row.owner = owners.hold(row.spec.owner_uid);
  owners[row.owner].workloads.insert(id);
  for (const PodId pod : owners[row.owner].pods) look_at_loose(pod);
}

void Tables::leave_names(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  if (row.name_space.is_none()) return;
  list_in_queue(id, false);
  local_queues.release(row.local_queue);
  row.local_queue = LocalQueueId::none();
  namespaces.release(row.name_space);
  row.name_space = NamespaceId::none();
  if (row.owner.is_none()) return;
  owners[row.owner].workloads.erase(id);
  for (const PodId pod : owners[row.owner].pods) look_at_loose(pod);
  owners.release(row.owner);
  row.owner = OwnerId::none();
}

std::uint32_t& Tables::place_in(std::vector<std::uint32_t>& places, WorkloadId id) {
  if (places.size() <= id.index()) places.resize(id.index() + 1, MemberList<WorkloadId>::nowhere);
  return places[id.index()];
}

void Tables::list_in_queue(WorkloadId id, bool is_listed) {
  const auto place_of = [&](WorkloadId each) -> std::uint32_t& {
    return place_in(listed_places_, each);
  };
  const bool was_listed = place_of(id) != MemberList<WorkloadId>::nowhere;
  if (was_listed == is_listed) return;
  MemberList<WorkloadId>& list = local_queues[workloads[id].local_queue].workloads;
  if (is_listed) {
    list.add(id, place_of);
  } else {
    list.remove(id, place_of);
  }
}

void Tables::enter(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  const std::string& key = workloads.key(id);
  if (row.name_space.is_none()) enter_names(id);
  list_in_queue(id, row.invalid.empty() && !row.spec.is_finished);
  if (!row.invalid.empty()) {
    row.standing = Standing::invalid;
    untold.emplace(key, id);
    return;
  }
  if (row.spec.is_finished) {
    row.standing = Standing::finished;
    return;
  }
  refresh_demand(id);
  row.standing = Standing::resting;
  if (row.spec.holds_quota()) {
    row.standing = Standing::reserved;
    enter_reservation(id);
    note_bind_candidate(id);
    if (left.contains(key)) endangered.emplace(key, id);
  }
  plan_second_pass(id);
}

void Tables::leave(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  const std::string& key = workloads.key(id);
  dequeue(id);
  leave_reservation(id);
  drop_bind_candidate(id);
  endangered.erase(key);
  if (row.second_pass_at) second_passes.erase({*row.second_pass_at, id});
  row.standing = Standing::absent;
}

// Whether the object says of the reservation what the row has already: then it is not taken back
// and made again.
bool Tables::keeps_reservation(WorkloadId id, const Workload& read) const {
  const WorkloadRow& row = workloads[id];
  // Which pods stand in its slots is counted anew where there are any.
  return row.standing == Standing::reserved && row.reservation->slots.empty() &&
         read.holds_quota() && read.pod_sets.is(row.spec.pod_sets) &&
         read.queue_name == row.spec.queue_name && read.owner_uid == row.spec.owner_uid &&
         read.admission == row.spec.admission;
}

void Tables::renew_reservation(WorkloadId id, const Value& object, const WorkloadParts& parts,
                               Workload& read) {
  WorkloadRow& row = workloads[id];
  const objects::Node reclaimable = row.reclaimable;
  const Value old_object = exchange_object(row, object, parts);
  std::swap(row.spec, read);
  const Workload& before = read;
  row.invalid.clear();
  ++cluster_queues[row.reserved_in].removals;  // as where it is made again
  if (row.assumed_evicted) row.spec.is_evicted = true;
  if (candidate_entry(*this, id) != row.reservation->candidate) refresh_candidate(*this, id);
  const bool counts = !cluster_queues[row.reserved_in].node.is_none();
  count_unready(id, counts && !row.spec.are_pods_ready);
  plan_second_pass(id);
  keep_search(row, before);
  if (makes_way(before, row.spec, View(&reclaimable), parts)) {
    wake_others(*this, row.local_queue, row.reserved_in);
  }
}

// Whether one that waits asks the same from the same place: then it is not taken out of its queue
// and put back. Where a ResourceQuota or what few workloads have plays a part it is.
bool Tables::keeps_place(WorkloadId id, const WorkloadParts& parts, const Workload& read) const {
  const WorkloadRow& row = workloads[id];
  const Workload& known = row.spec;
  return row.standing == Standing::waiting && quota_pages.empty() && row.quota_demand == nullptr &&
         !known.extras.is_set() && !read.extras.is_set() && read.pod_sets.is(known.pod_sets) &&
         read.effective_priority() == known.effective_priority() &&
         read.queued_since() == known.queued_since() && read.may_requeue == known.may_requeue &&
         read.queue_name == known.queue_name && read.owner_uid == known.owner_uid &&
         (pending.ticket(id).uid_prefix == 0) == row.uid.empty() &&
         blocker_of(row) == Blocker::none &&
         row.queued_in == local_queues[row.local_queue].cluster_queue &&
         asks_the_same(known, read, row.object, parts);
}

void Tables::renew_place(WorkloadId id, const Value& object, const WorkloadParts& parts,
                         Workload& read) {
  WorkloadRow& row = workloads[id];
  const Value old_object = exchange_object(row, object, parts);
  std::swap(row.spec, read);
  keep_search(row, read);
  if (!endangered.empty()) endangered.erase(workloads.key(id));
  if (!untold.empty()) untold.erase(workloads.key(id));
  if (pending.head(row.queued_in) == id) stir(row.queued_in);
  if (!parts.conditions.quota_reserved.is_false()) note_unsaid(id);
}

// A search through the flavors goes on as long as it is the same search.
void Tables::keep_search(WorkloadRow& row, const Workload& before) const {
  if (!configuration.gates.enabled(Gate::flavor_fungibility_preserve_scan_progress) ||
      (row.spec.equivalence != before.equivalence && row.spec.equivalence != 0 &&
       before.equivalence != 0)) {
    row.last_tried = {};
  }
}

// The row shows this object from now on, the one that was seen or the one that is assumed.
void Tables::show_workload(WorkloadId id, const Value& object, const WorkloadParts& parts) {
  WorkloadRow& row = workloads[id];
  RequestRules rules = request_rules(parts.name_space);
  rules.library = &gangs_;
  static const Workload unread;
  const bool is_known = row.rules_version == rules_version;
  Workload read;
  auto result = read_workload_again(object, parts, names, rules,
                                    {.workload = is_known ? row.spec : unread,
                                     .pod_sets = View(&row.pod_sets),
                                     .reclaimable = View(&row.reclaimable)},
                                    read);
  row.rules_version = rules_version;
  if (result && keeps_reservation(id, read)) {
    renew_reservation(id, object, parts, read);
  } else if (result && keeps_place(id, parts, read)) {
    renew_place(id, object, parts, read);
  } else {
    change_workload(id, object, parts, std::move(result), read);
  }
}

void Tables::show_workload_again(WorkloadId id) {
  const Value object = workloads[id].object;
  show_workload(id, object, parts_of(object));
  refresh_demand(id);
  refresh_booking(id);
}

void Tables::change_workload(WorkloadId id, const Value& object, const WorkloadParts& parts,
                             Result<> result, Workload& read) {
  WorkloadRow& row = workloads[id];
  const Standing standing = row.standing;
  const bool for_place = waiting_for_place.contains(workloads.key(id));
  const bool was_parked = pending.place_of(id) == PendingPlace::inadmissible;
  const bool was_active = pending.place_of(id) == PendingPlace::active;
  const bool was_told = !untold.contains(workloads.key(id));
  const auto preemptor = pending.preemptor(id);
  const ClusterQueueId queued_in = row.queued_in;
  const LocalQueueId local_queue = row.local_queue;
  const std::size_t slots = row.reservation->slots.size();
  const std::uint64_t kind = kind_of(row);
  const ClusterQueueId reserved_in = row.reserved_in;
  if (!reserved_in.is_none()) cluster_queues.hold(reserved_in);
  if (!local_queue.is_none()) local_queues.hold(local_queue);
  leave(id);
  const objects::Node reclaimable = row.reclaimable;
  const Value old_object = exchange_object(row, object, parts);
  if (result) {
    row.invalid.clear();
  } else {
    read = Workload();
    row.invalid = result.error().to_string();
  }
  std::swap(row.spec, read);
  const Workload& before = read;
  if (row.spec.queue_name != before.queue_name || row.spec.owner_uid != before.owner_uid) {
    leave_names(id);
  }
  enter(id);
  const bool was_there = standing != Standing::absent;
  if (was_there &&
      (row.local_queue != local_queue || !row.spec.is_active || row.spec.is_finished)) {
    forgive_admission(local_queue, id);
  }
  if (row.assumed_evicted) row.spec.is_evicted = true;
  keep_search(row, before);
  if (row.local_queue != local_queue) row.last_tried = {};  // that was another queue's search
  if (row.standing == Standing::resting) {
    const bool same = asks_the_same(before, row.spec, old_object, parts) && kind == kind_of(row);
    enqueue(id, same && was_parked);
    if (was_active && row.queued_in == queued_in) pending.unpark(id);
    if (preemptor && row.queued_in == queued_in) pending.set_preemptor(id, *preemptor);
    if (!row.queued_in.is_none()) refresh_ready(row.queued_in);  // both may make it the head
    if (same && for_place && row.standing == Standing::waiting) {
      await_place(id);
    }
    // Somebody may have written over what it was told.
    const bool is_said = is_being_told(id) || parts.conditions.quota_reserved.is_false();
    if (same && was_told && is_said && standing == row.standing) untold.erase(workloads.key(id));
  }
  if (was_there && makes_way(before, row.spec, View(&reclaimable), parts)) {
    // Whoever ends, or may not wait, with the same write that sends it to another queue was never
    // in that one.
    const bool enters = row.spec.is_pending();
    wake_others(*this, enters ? row.local_queue : local_queue, reserved_in);
  }
  if (!local_queue.is_none()) local_queues.release(local_queue);
  if (!reserved_in.is_none()) cluster_queues.release(reserved_in);
  if (slots > 0 && row.reservation->slots.size() != slots) wake_for_places();
}

void Tables::remove_workload(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  const bool had_slots = !row.reservation->slots.empty();
  if (row.standing != Standing::absent) wake_others(*this, row.local_queue, row.reserved_in);
  forgive_admission(row.local_queue, id);
  leave(id);
  refresh_booking(id);
  leave_names(id);
  if (had_slots) wake_for_places();
  set_telling(id, {});
  Seldom<std::set<PodId>> members = std::move(row.pods);
  row = WorkloadRow();
  row.pods = std::move(members);
}

std::uint32_t Tables::expect_key(const Event& event) const {
  const auto [name_space, name] = names_of(event.object);
  const KeyText key(name_space, name);
  return workloads.expect_place(key.text());
}

WorkloadId Tables::expect_row(std::uint32_t hash) const {
  const WorkloadId id = workloads.find_hash(hash);
  if (id.is_none()) return id;
  const WorkloadRow& row = workloads[id];
  expect_line(workloads.key(id).data());
  row.object.expect();
  row.reservation.expect();
  row.spec.admission.expect();
  pending.expect(id);
  for (const auto* const places : {&listed_places_, &reserving_places_}) {
    if (id.index() < places->size()) expect_line(&(*places)[id.index()]);
  }
  if (!row.reserved_in.is_none()) cluster_queues.expect(row.reserved_in);
  if (!row.local_queue.is_none()) expect_line(&local_queues[row.local_queue].workloads);
  return id;
}

void Tables::expect_lists(WorkloadId id) const {
  if (id.is_none()) return;
  const WorkloadRow& row = workloads[id];
  if (!row.local_queue.is_none() && id.index() < listed_places_.size()) {
    local_queues[row.local_queue].workloads.expect(listed_places_[id.index()]);
  }
  if (row.reserved_in.is_none()) return;
  row.spec.admission->pod_sets.expect();
  const ClusterQueueRow& queue = cluster_queues[row.reserved_in];
  queue.candidates.expect();
  if (id.index() < reserving_places_.size()) queue.reserving.expect(reserving_places_[id.index()]);
}

void Tables::expect_entries(WorkloadId id) const {
  if (id.is_none() || workloads[id].reserved_in.is_none()) return;
  cluster_queues[workloads[id].reserved_in].candidates.expect_entries();
}

void Tables::apply_workload(const Event& event, std::uint32_t hash) {
  const WorkloadParts parts = parts_of(event.object);
  const KeyText key(parts.name_space, parts.name);
  WorkloadId id = workloads.find(key.text(), hash);
  if (id.is_none() && event.type == EventType::remove) return;
  const Step step = id.is_none() ? Step::update : next_step(workloads[id], event, parts.uid);
  if (step == Step::ignore) return;
  if (step == Step::remove || step == Step::replace) {
    remove_workload(id);
    if (step == Step::remove) workloads.release(id);
  }
  if (step == Step::remove) return;
  if (id.is_none()) {
    id = workloads.hold_new(key.text(), hash);
  } else if (step == Step::update && !workloads[id].present) {
    workloads.hold(id);
  }
  WorkloadRow& row = workloads[id];
  row.present = true;
  row.uid = parts.uid;
  row.uid_head = uid_head(parts.uid);
  row.revision = event.revision;
  const ConditionParts& reserved = parts.conditions.quota_reserved;
  const bool is_over = parts.conditions.finished.is_true();
  if (is_over || !reserved.is_true() || parts.conditions.evicted.is_true()) {
    const bool was_evicted = row.assumed_evicted;
    row.assumed_evicted = false;
    if (was_evicted) refresh_candidate(*this, id);
  }
  const bool is_told = !row.telling.empty() &&
                       (is_over || reserved.is_true() || reserved.message == row.telling.view());
  // An assumed admission stands until its own write is seen, or forget() says it was refused.
  if (row.assumed && !is_over && !(reserved.is_true() && is_decided_anew(row, parts))) {
    const bool asks_the_same =
        View(&row.pod_sets) == parts.pod_sets && View(&row.reclaimable) == parts.reclaimable;
    if (!asks_the_same) row.rules_version = 0;  // the row's gang is that of an earlier object
    exchange_object(row, event.object, parts);
    refresh_booking(id);
    return;
  }
  row.assumed = false;
  const bool was_admitted = row.shows_admitted || !row.object.is_object();
  show_workload(id, event.object, parts);
  if (std::exchange(row.is_wanted_gone, false) && !row.reserved_in.is_none()) {
    stir_tree(row.reserved_in);
  }
  const bool is_news = !was_admitted && row.standing == Standing::reserved && row.spec.is_admitted;
  if (is_news) settle_admission(id);
  if (is_told) end_telling(id);
  refresh_booking(id);
}

}  // namespace muster::core
