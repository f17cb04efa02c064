// SPDX-License-Identifier: Apache-2.0
#include "core/model/cluster_state.h"

#include <array>

#include "core/model/expect_memory.h"
#include "core/model/fetch_object.h"
#include "core/model/tables.h"
#include "core/plan/admission_status.h"
#include "core/plan/admission_value.h"
#include "core/plan/plan.h"
#include "objects/metadata.h"

namespace muster::core {

namespace {

namespace resources = objects::resources;

struct Reader {
  objects::Resource resource;
  void (Tables::*apply)(const Event&);
};

// Of all but Workloads, which come most often.
constexpr std::array<Reader, 16> readers{{
    {resources::resource_flavors, &Tables::apply_flavor},
    {resources::namespaces, &Tables::apply_namespace},
    {resources::cluster_queues, &Tables::apply_cluster_queue},
    {resources::cohorts, &Tables::apply_cohort},
    {resources::admission_checks, &Tables::apply_admission_check},
    {resources::local_queues, &Tables::apply_local_queue},
    {resources::topologies, &Tables::apply_topology},
    {resources::nodes, &Tables::apply_node},
    {resources::pods, &Tables::apply_pod},
    {resources::limit_ranges, &Tables::apply_limit_range},
    {resources::runtime_classes, &Tables::apply_runtime_class},
    {resource_quotas, &Tables::apply_resource_quota},
    {resources::priority_classes, &Tables::apply_priority_class},
    {resources::persistent_volume_claims, &Tables::apply_claim},
    {persistent_volumes, &Tables::apply_volume},
    {storage_classes, &Tables::apply_storage_class},
}};

bool is_of_workload(const Event& event) {
  return (event.type == EventType::upsert || event.type == EventType::remove) &&
         event.resource == resources::workloads && event.object.is_object();
}

std::string key_text(const objects::ObjectKey& key) {
  return key.name_space.empty() ? key.name : key.name_space + "/" + key.name;
}

std::string message_to_write(const Tables& tables, const PodRow& row, const Because& because) {
  const objects::Value next = with_unschedulable(row.object, because, tables.now);
  if (next.view() == row.object.view()) return {};
  return std::string(objects::condition(next, "PodScheduled")["message"].string_or(""));
}

void assume_action(Tables& tables, const Action& action) {
  const std::string key = key_text(action.key);
  const WorkloadId workload = tables.workloads.find(key);
  const PodId pod = tables.pods.find(key);
  const bool is_there = !workload.is_none() && tables.workloads[workload].present;
  switch (action.type) {
    case Action::Type::tell:
      if (!is_there) return;
      tables.untold.erase(key);
      tables.note_said(workload);
      tables.workloads[workload].is_unsaid = false;
      return;
    case Action::Type::evict:
      if (is_there) tables.assume_evicted(workload);
      return;
    case Action::Type::bind:
    case Action::Type::receive:
      if (!pod.is_none()) tables.assume_bound(pod, action.node, action.address);
      return;
    case Action::Type::unbindable:
      if (pod.is_none()) return;
      tables.assume_unbindable(pod, message_to_write(tables, tables.pods[pod], action.because));
      return;
    case Action::Type::refuse:
      if (!pod.is_none()) tables.assume_refused(pod);
      return;
  }
}

// Answers whether others of the tree may be answered differently now.
bool assume_decision(Tables& tables, AdmissionMaker& maker, const Decision& decision) {
  bool is_news = false;
  switch (decision.type) {
    case Decision::Type::admit:
      tables.assume_admission(decision.workload, decision.queue, maker.make(tables, decision),
                              decision.is_admitted);
      return true;
    case Decision::Type::evict:
      tables.assume_evicted(decision.workload);
      return true;
    case Decision::Type::preempt:
      for (const Target& target : decision.targets) {
        WorkloadRow& victim = tables.workloads[target.workload];
        if (victim.spec.is_evicted) continue;
        victim.is_wanted_gone = victim.assumed;
        if (victim.assumed) continue;
        tables.assume_evicted(target.workload);
        is_news = true;
      }
      break;
    case Decision::Type::wait:
      break;
  }
  tables.assume_requeued(decision);
  return is_news;
}

}  // namespace

ClusterState::ClusterState() : tables_(std::make_unique<Tables>()) {}
ClusterState::ClusterState(Configuration configuration) : ClusterState() {
  tables_->configuration = std::move(configuration);
  ++tables_->rules_version;
}
ClusterState::~ClusterState() = default;
ClusterState::ClusterState(ClusterState&&) noexcept = default;
ClusterState& ClusterState::operator=(ClusterState&&) noexcept = default;

void ClusterState::apply(const Event& event) {
  if (is_of_workload(event)) {
    apply_workload(event, tables_->expect_key(event));
  } else {
    apply_other(event);
  }
}

void ClusterState::apply_workload(const Event& event, std::uint32_t hash) {
  tables_->gather_wakes(true);
  tables_->apply_workload(event, hash);
  tables_->gather_wakes(false);
}

void ClusterState::apply_other(const Event& event) {
  if (event.type == EventType::tick) {
    tables_->tick(event.now);
    return;
  }
  if (event.type == EventType::config || !event.object.is_object()) return;
  tables_->wake_noted();
  for (const Reader& reader : readers) {
    if (!(reader.resource == event.resource)) continue;
    ((*tables_).*reader.apply)(event);
    break;
  }
  // Kueue asks again after every event of a node, a pod or a topology, whatever it changed.
  const bool concerns_room = event.resource == resources::nodes ||
                             event.resource == resources::pods ||
                             event.resource == resources::topologies;
  if (concerns_room && tables_->holds_retries) tables_->wake_active_trees();
}

namespace {

// Events of workloads that have not their turn yet: what they and their rows consist of is fetched
// step by step, so that each is there when its turn comes.
class ComingEvents {
 public:
  ComingEvents(const Tables& tables, std::span<const Event> events)
      : tables_(tables), events_(events) {
    for (std::size_t i = 0; i < steps; ++i) approach(i);
  }

  // Of an event that has its turn; the others come nearer.
  bool is_of_workload(std::size_t at) const { return this->at(at).is_of_workload; }
  std::uint32_t hash(std::size_t at) const { return this->at(at).hash; }
  void move_on(std::size_t at) { approach(at + steps); }

 private:
  static constexpr std::size_t steps = 11;

  struct Coming {
    bool is_of_workload = false;
    std::uint32_t hash = 0;  // of its key
    WorkloadId row = {};     // likely its row, by the hash
  };

  const Coming& at(std::size_t i) const { return coming_[i % coming_.size()]; }
  Coming& at(std::size_t i) { return coming_[i % coming_.size()]; }

  // One more comes into sight, and each of those before it takes a step.
  void approach(std::size_t last) {
    if (last + 2 < events_.size()) expect_memory(&events_[last + 2], sizeof(Event));
    at(last) = {.is_of_workload = last < events_.size() && core::is_of_workload(events_[last])};
    const auto step = [&](std::size_t back, auto take) {
      if (last >= back && at(last - back).is_of_workload) take(last - back);
    };
    step(0, [&](std::size_t i) { fetch_root(events_[i].object); });
    step(1, [&](std::size_t i) { fetch_parts(events_[i].object); });
    step(2, [&](std::size_t i) { fetch_lists(events_[i].object); });
    step(3, [&](std::size_t i) { fetch_entries(events_[i].object); });
    step(4, [&](std::size_t i) { at(i).hash = tables_.expect_key(events_[i]); });
    step(5, [&](std::size_t i) { tables_.workloads.expect_hash(at(i).hash); });
    step(7, [&](std::size_t i) { at(i).row = tables_.expect_row(at(i).hash); });
    step(8, [&](std::size_t i) { tables_.expect_lists(at(i).row); });
    step(10, [&](std::size_t i) { tables_.expect_entries(at(i).row); });
  }

  const Tables& tables_;
  std::span<const Event> events_;
  std::array<Coming, steps + 1> coming_ = {};
};

}  // namespace

void ClusterState::apply(std::span<const Event> events) {
  constexpr std::size_t few = 4;  // what is fetched would not be there in time
  if (events.size() < few) {
    for (const Event& event : events) apply(event);
    return;
  }
  ComingEvents coming(*tables_, events);
  for (std::size_t i = 0; i < events.size(); ++i) {
    coming.move_on(i);
    if (coming.is_of_workload(i)) {
      apply_workload(events[i], coming.hash(i));
    } else {
      apply_other(events[i]);
    }
  }
}

Tables& ClusterState::tables() {
  tables_->wake_noted();
  return *tables_;
}

const Tables& ClusterState::tables() const {
  tables_->wake_noted();
  return *tables_;
}

void ClusterState::assume(const Plan& plan) {
  ++tables_->cycle_count;
  std::vector<ClusterQueueId> news;
  AdmissionMaker maker;
  const std::vector<Decision>& decisions = plan.decisions;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (i + 6 < decisions.size()) tables_->expect_assumption(decisions[i + 6]);
    if (i + 4 < decisions.size()) tables_->expect_lists(decisions[i + 4]);
    if (i + 2 < decisions.size()) tables_->expect_entries(decisions[i + 2]);
    if (decisions[i].type == Decision::Type::admit && is_victim(plan, decisions[i])) continue;
    if (assume_decision(*tables_, maker, decisions[i])) news.push_back(decisions[i].queue);
  }
  for (const WorkloadId head : plan.unreached) tables_->assume_unreached(head);
  for (const Action& action : plan.actions) assume_action(*tables_, action);
  tables_->stir_trees(news);
  // Who lost to another head may be told something else once that one has what it got.
  for (const Decision& decision : plan.decisions) {
    if (decision.word == WaitWord::lost_race && !news.empty()) tables_->stir(decision.queue);
  }
  tables_->sweep_unsaid();
  // Everything that was to be looked at was looked at.
  tables_->forget_bind_candidates();
  tables_->endangered.clear();
  tables_->left.clear();
}

void ClusterState::forget(const objects::Resource& resource, const objects::ObjectKey& key,
                          std::string_view uid) {
  tables_->wake_noted();
  if (resource == resources::workloads) tables_->forget_workload(key_text(key), uid);
  if (resource == resources::pods) tables_->forget_pod(key_text(key), uid);
}

void ClusterState::place_pods(bool places) {
  tables_->places_pods = places;
}

void ClusterState::hold_retries(bool holds) {
  tables_->wake_noted();
  tables_->holds_retries = holds;
  if (!holds) tables_->retry_inadmissible();
}

void ClusterState::retry_inadmissible() {
  tables_->wake_noted();
  tables_->retry_inadmissible();
}

void ClusterState::activate_all() {
  tables_->wake_noted();
  tables_->activate_all();
}

namespace {

bool has_pods_to_place(const Tables& tables) {
  return tables.places_pods && (!tables.loose_pods.empty() || !tables.arrived_pods.empty());
}

}  // namespace

bool ClusterState::has_work() const {
  tables_->wake_noted();
  const auto& second = tables_->second_passes;
  const bool is_second_due = !second.empty() && second.begin()->first <= tables_->now;
  return is_second_due || !tables_->ready_queues.empty() || !tables_->untold.empty() ||
         tables_->bind_candidate_count > 0 || !tables_->endangered.empty() ||
         has_pods_to_place(*tables_) || tables_->has_unsaid();
}

std::optional<Instant> ClusterState::next_tick() const {
  std::optional<Instant> next;
  const auto consider = [&](const auto& timers) {
    if (timers.empty()) return;
    if (!next || timers.begin()->first < *next) next = timers.begin()->first;
  };
  consider(tables_->resting_until);
  consider(tables_->second_passes);
  return next;
}

Instant ClusterState::now() const {
  return tables_->now;
}

}  // namespace muster::core
