// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/draft.h"
#include "core/model/quota_pod.h"
#include "core/queueing/admit_job.h"
#include "core/queueing/compose_workload.h"
#include "core/queueing/job_queue.h"
#include "core/queueing/shape.h"
#include "core/queueing/workload_status.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::cli {

using objects::Value;
using objects::View;

namespace resources = objects::resources;

namespace {

std::string owner_of(View workload) {
  return std::string(objects::controller_of(workload)["uid"].string_or(""));
}

}  // namespace

std::string workload_key(View workload) {
  return fmt::format("{}/{}", objects::namespace_of(workload), objects::name_of(workload));
}

PlanWorld::PlanWorld(const core::Configuration& configuration, Instant now,
                     core::ResourceQuotas quotas)
    : now_(now), quotas_(quotas), state_(configuration) {
  state_.apply({.type = core::EventType::tick, .now = now});
}

void PlanWorld::tell(core::EventType type, const objects::Resource& resource, const Value& object) {
  if (resource == core::resource_quotas && quotas_ == core::ResourceQuotas::ignored) return;
  state_.apply({.revision = ++revision_, .type = type, .resource = resource, .object = object});
}

void PlanWorld::forget_owner(const std::string& key) {
  const auto found = workloads_.find(key);
  if (found == workloads_.end()) return;
  const auto owner = owners_.find(owner_of(found->second));
  if (owner != owners_.end()) owners_.erase(owner);
}

namespace {

// A server says nothing of a write that changes nothing.
bool is_unchanged(View before, View now) {
  const View old_status = before["status"];
  const View status = now["status"];
  return before["metadata"] == now["metadata"] && before["spec"] == now["spec"] &&
         (old_status == status || (old_status.empty() && status.empty()));
}

}  // namespace

Result<> PlanWorld::put(const objects::Resource& resource, const Value& object) {
  if (resource == resources::workloads) {
    const std::string key = workload_key(object);
    const auto known = workloads_.find(key);
    const bool is_heard_of = known != workloads_.end() && !undelivered_.contains(key);
    if (is_heard_of && is_unchanged(known->second, object)) return {};
    undelivered_.erase(key);
    forget_owner(key);
    workloads_.insert_or_assign(key, object);
    owners_.insert(owner_of(object));
  } else {
    const Place place(resource.kind, objects::key_of(object).to_string());
    objects_.insert_or_assign(place, std::pair(resource, object));
  }
  tell(core::EventType::upsert, resource, object);
  return {};
}

Result<> PlanWorld::remove(std::string_view kind, const objects::ObjectKey& key) {
  if (kind == resources::workloads.kind) {
    const auto found = workloads_.find(key.name_space + "/" + key.name);
    if (found == workloads_.end()) {
      return Error{ErrorCode::not_found, fmt::format("there is no Workload {}", key.to_string())};
    }
    const Value object = found->second;
    undelivered_.erase(found->first);
    forget_owner(found->first);
    workloads_.erase(found);
    tell(core::EventType::remove, resources::workloads, object);
    return {};
  }
  const auto found = objects_.find(Place(kind, key.to_string()));
  if (found == objects_.end()) {
    return Error{ErrorCode::not_found, fmt::format("there is no {} {}", kind, key.to_string())};
  }
  const auto [resource, object] = found->second;
  objects_.erase(found);
  tell(core::EventType::remove, resource, object);
  if (core::find_shape(resource) == nullptr) return {};
  const objects::ObjectKey workload{key.name_space, core::workload_name(resource, object)};
  if (workloads_.contains(workload.name_space + "/" + workload.name)) {
    return remove(resources::workloads.kind, workload);
  }
  return {};
}

Result<> PlanWorld::make_workloads() {
  std::vector<std::pair<objects::Resource, Value>> jobs;
  for (const auto& [place, object] : objects_) {
    if (core::find_shape(object.first) != nullptr) jobs.push_back(object);
  }
  for (const auto& [resource, job] : jobs) TRY(make_workload(resource, job));
  return {};
}

bool PlanWorld::has_workload(const objects::Resource& resource, View job) const {
  const std::string key =
      fmt::format("{}/{}", objects::namespace_of(job), core::workload_name(resource, job));
  const std::string uid(objects::uid_of(job));
  return workloads_.contains(key) || (!uid.empty() && owners_.contains(uid));
}

// A job that names no queue, has finished, or has its Workload from somebody else gets none.
Result<> PlanWorld::make_workload(const objects::Resource& resource, const Value& given) {
  const core::Shape& shape = *core::find_shape(resource);
  const std::string title = fmt::format("{} {}", resource.kind, objects::key_of(given).to_string());
  const auto fail = [&](const Error& error) {
    return Error::bad_request(fmt::format("{}: {}", title, error.to_string()));
  };
  Value job = given;
  if (resource == resources::jobs) {
    const objects::ObjectKey usual{std::string(objects::namespace_of(given)),
                                   std::string(core::words::default_queue)};
    const bool has_default = !find(resources::local_queues, usual).is_absent();
    auto admitted = core::admit_job({.job = given, .has_default_queue = has_default});
    if (!admitted.errors.empty()) {
      return fail(Error::bad_request(admitted.errors.to_string()));
    }
    job = std::move(admitted.job);
  }
  if (core::queue_name_of(job).empty() || !core::prebuilt_workload_of(job).empty()) return {};
  if (shape.outcome(job) || has_workload(resource, job)) return {};
  std::vector<Value> workload_classes;
  std::vector<Value> pod_classes;
  for (const auto& [place, object] : objects_) {
    if (object.first == resources::workload_priority_classes) {
      workload_classes.push_back(object.second);
    }
    if (object.first == resources::priority_classes) pod_classes.push_back(object.second);
  }
  const auto sets = shape.pod_sets(job);
  if (!sets) return fail(sets.error());
  const auto workload = core::compose_workload(shape,
                                               {.job = job,
                                                .workloads = {},
                                                .flavors = {},
                                                .workload_priority_classes = workload_classes,
                                                .priority_classes = pod_classes,
                                                .now = now_},
                                               *sets);
  if (!workload) return fail(workload.error());
  const View created = job["metadata"]["creationTimestamp"];
  core::Draft draft(*workload);
  draft.set_or_drop({"metadata", "creationTimestamp"}, job.part(created));
  return put(resources::workloads, draft.value());
}

void PlanWorld::store_workload(const std::string& key, const Value& object) {
  const auto found = workloads_.find(key);
  if (found == workloads_.end()) return;
  before_cycle_.emplace(key, found->second);
  found->second = object;
  undelivered_.insert(key);
}

void PlanWorld::carry_out(const core::Plan& plan) {
  for (const auto& edits : core::edits_of(state_, plan)) {
    for (const core::Edit& edit : edits) {
      if (edit.verb != core::Edit::Verb::update_status || edit.resource != resources::workloads) {
        continue;
      }
      store_workload(workload_key(edit.object), edit.object);
    }
  }
}

void PlanWorld::deliver() {
  const std::set<std::string> keys = std::move(undelivered_);
  undelivered_.clear();
  for (const std::string& key : keys) {
    tell(core::EventType::upsert, resources::workloads, workloads_.at(key));
  }
}

void PlanWorld::release_evicted() {
  for (auto& [key, workload] : workloads_) {
    if (!core::is_evicted(workload) || !core::has_reservation(workload) ||
        core::is_finished(workload)) {
      continue;
    }
    workload = core::released(workload, core::Words::usual, now_);
    undelivered_.insert(key);
  }
  deliver();
}

View PlanWorld::find(const objects::Resource& resource, const objects::ObjectKey& key) const {
  const auto found = objects_.find(Place(resource.kind, key.to_string()));
  return found == objects_.end() ? View() : found->second.second.view();
}

bool PlanWorld::has_status_changes() const {
  const auto standing = [](View workload) {
    return std::tuple(core::is_finished(workload), core::is_admitted(workload),
                      core::has_reservation(workload), core::is_evicted(workload));
  };
  return std::ranges::any_of(before_cycle_, [&](const auto& entry) {
    const auto found = workloads_.find(entry.first);
    return found != workloads_.end() && standing(entry.second) != standing(found->second);
  });
}

std::vector<ConditionChange> PlanWorld::changes_of(std::string_view type) {
  std::vector<ConditionChange> changes;
  for (const auto& [key, before] : before_cycle_) {
    const auto found = workloads_.find(key);
    if (found == workloads_.end()) continue;
    const View now = objects::condition(found->second, type);
    const View old = objects::condition(before, type);
    const bool is_same =
        objects::is_true(old) && old["reason"] == now["reason"] && old["message"] == now["message"];
    if (!objects::is_true(now) || is_same) continue;
    ConditionChange& change = changes.emplace_back();
    change.workload = key;
    change.reason = now["reason"].string_or("");
    const View preempted = objects::condition(found->second, "Preempted");
    if (change.reason == "Preempted" && objects::is_true(preempted)) {
      change.underlying = preempted["reason"].string_or("");
    }
  }
  return changes;
}

std::vector<ConditionChange> PlanWorld::evictions() {
  return changes_of("Evicted");
}

std::vector<ConditionChange> PlanWorld::endings() {
  std::vector<ConditionChange> changes = changes_of("Finished");
  before_cycle_.clear();
  return changes;
}

}  // namespace muster::cli
