// SPDX-License-Identifier: Apache-2.0
#include "core/model/cluster_state.h"

#include <array>

#include "core/model/tables.h"
#include "core/plan/admission_status.h"
#include "core/plan/plan.h"
#include "objects/metadata.h"

namespace muster::core {

namespace {

namespace resources = objects::resources;

struct Reader {
  objects::Resource resource;
  void (Tables::*apply)(const Event&);
};

constexpr std::array<Reader, 11> readers{{
    {resources::resource_flavors, &Tables::apply_flavor},
    {resources::namespaces, &Tables::apply_namespace},
    {resources::cluster_queues, &Tables::apply_cluster_queue},
    {resources::cohorts, &Tables::apply_cohort},
    {resources::admission_checks, &Tables::apply_admission_check},
    {resources::local_queues, &Tables::apply_local_queue},
    {resources::workloads, &Tables::apply_workload},
    {resources::nodes, &Tables::apply_node},
    {resources::pods, &Tables::apply_pod},
    {resources::limit_ranges, &Tables::apply_limit_range},
    {resources::runtime_classes, &Tables::apply_runtime_class},
}};

std::string key_text(const objects::ObjectKey& key) {
  return key.name_space.empty() ? key.name : key.name_space + "/" + key.name;
}

bool waits_for_place_only(const Because& because) {
  for (const Reason& reason : because.reasons) {
    if (reason.type != Reason::Type::no_place) return false;
  }
  return !because.empty();
}

bool lost_race(const Because& because) {
  return !because.empty() && because.reasons.front().type == Reason::Type::lost_race;
}

// The message that edits_of() will write; empty when the object says it already.
std::string message_to_write(const Tables& tables, const WorkloadRow& row, const Because& because) {
  const objects::Value next = with_wait(row.object, because, tables.now);
  if (next.view() == row.object.view()) return {};
  return std::string(objects::condition(next, "QuotaReserved")["message"].string_or(""));
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
    case Action::Type::admit:
      if (is_there) tables.assume_status(workload, action.status);
      return;
    case Action::Type::wait:
      // Who lost a race is tried again in the next cycle.
      if (!is_there || lost_race(action.because)) return;
      tables.assume_waiting(workload, waits_for_place_only(action.because),
                            message_to_write(tables, tables.workloads[workload], action.because));
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

}  // namespace

ClusterState::ClusterState() : tables_(std::make_unique<Tables>()) {}
ClusterState::ClusterState(Configuration configuration) : ClusterState() {
  tables_->configuration = std::move(configuration);
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
  for (const Reader& reader : readers) {
    if (reader.resource == event.resource) ((*tables_).*reader.apply)(event);
  }
}

void ClusterState::assume(const Plan& plan) {
  for (const Action& action : plan.actions) assume_action(*tables_, action);
  // Everything that was to be looked at was looked at.
  tables_->bind_candidates.clear();
  tables_->endangered.clear();
}

void ClusterState::forget(const objects::Resource& resource, const objects::ObjectKey& key,
                          std::string_view uid) {
  if (resource == resources::workloads) tables_->forget_workload(key_text(key), uid);
  if (resource == resources::pods) tables_->forget_pod(key_text(key), uid);
}

bool ClusterState::has_work() const {
  return !tables_->ready_queues.empty() || !tables_->untold.empty() ||
         !tables_->bind_candidates.empty() || !tables_->endangered.empty() ||
         !tables_->loose_pods.empty();
}

std::optional<Instant> ClusterState::next_tick() const {
  if (tables_->resting_until.empty()) return std::nullopt;
  return tables_->resting_until.begin()->first;
}

Instant ClusterState::now() const {
  return tables_->now;
}

}  // namespace muster::core
