// SPDX-License-Identifier: Apache-2.0
#include "core/model/cluster_state.h"

#include <array>

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

void expect_root(const Event& event) {
  if (event.object.is_object()) __builtin_prefetch(event.object.view().node().members);
}

void expect_parts(const Event& event) {
  for (const auto& [key, part] : event.object.view().members()) {
    if (part.is_object()) __builtin_prefetch(part.node().members);
  }
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
      tables.workloads[workload].is_unsaid = false;
      return;
    case Action::Type::evict:
      if (is_there) tables.assume_evicted(workload);
      return;
    case Action::Type::bind:
      if (!pod.is_none()) tables.assume_bound(pod, action.node, action.address);
      return;
    case Action::Type::unbindable:
      if (pod.is_none()) return;
      tables.assume_unbindable(pod, message_to_write(tables, tables.pods[pod], action.because));
      return;
  }
}

// Answers whether others of the tree may be answered differently now.
bool assume_decision(Tables& tables, AdmissionMaker& maker, const Decision& decision) {
  bool is_news = false;
  switch (decision.type) {
    case Decision::Type::admit:
      tables.assume_admission(decision.workload, maker.make(tables, decision),
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
  if (event.type == EventType::tick) {
    tables_->tick(event.now);
    return;
  }
  if (event.type == EventType::config || !event.object.is_object()) return;
  if (event.resource == resources::workloads) {
    tables_->gather_wakes(true);
    tables_->apply_workload(event);
    tables_->gather_wakes(false);
    return;
  }
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

void ClusterState::apply(std::span<const Event> events) {
  const auto is_workload = [&](std::size_t at) {
    return at < events.size() && events[at].resource == resources::workloads &&
           events[at].object.is_object();
  };
  std::uint32_t hash = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    // An object is reached in four steps: its root, its parts, where its row stands, the row.
    if (i + 4 < events.size()) expect_root(events[i + 4]);
    if (is_workload(i + 3)) expect_parts(events[i + 3]);
    if (i > 0 && is_workload(i + 1)) tables_->workloads.expect_hash(hash);
    if (is_workload(i + 2)) hash = tables_->expect_key(events[i + 2]);
    apply(events[i]);
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
  for (const Decision& decision : plan.decisions) {
    if (decision.type == Decision::Type::admit && is_victim(plan, decision)) continue;
    if (assume_decision(*tables_, maker, decision)) news.push_back(decision.queue);
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

bool ClusterState::has_work() const {
  tables_->wake_noted();
  const auto& second = tables_->second_passes;
  const bool is_second_due = !second.empty() && second.begin()->first <= tables_->now;
  return is_second_due || !tables_->ready_queues.empty() || !tables_->untold.empty() ||
         tables_->bind_candidate_count > 0 || !tables_->endangered.empty() ||
         !tables_->loose_pods.empty() || tables_->has_unsaid();
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
