// SPDX-License-Identifier: Apache-2.0
#include "tests/queueing/queue_world.h"

#include <fmt/format.h>

#include <utility>

#include "core/draft.h"
#include "core/queueing/pod_sets.h"
#include "core/queueing/reconcile_workload.h"
#include "core/queueing/run_workload.h"
#include "core/queueing/shape.h"
#include "core/queueing/workload_status.h"
#include "core/words.h"
#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

Value flavor() {
  return objects::parse_json(
             R"({"metadata": {"name": "spot"}, "spec": {"nodeLabels": {"kind": "spot"}}})")
      .must();
}

Value admission(std::int64_t count) {
  Draft draft(objects::parse_json(R"({"clusterQueue": "cq", "podSetAssignments": [
      {"name": "main", "flavors": {"cpu": "spot"}}]})")
                  .must());
  draft.set({"podSetAssignments", std::size_t{0}, "count"}, Value::integer(count));
  return draft.value();
}

}  // namespace

QueueWorld::QueueWorld(const JobWorldOptions& options) : jobs(options) {
  const Value queued = Draft(jobs.job())
                           .set({"metadata", "labels", words::queue_name}, Value::string("main"))
                           .value();
  jobs.update_job(queued);
  original_template = jobs.job().part(jobs.job()["spec"]["template"]);
}

std::vector<Edit> QueueWorld::reconcile(const Losses& losses) {
  const std::vector<Value> own = workloads();
  const std::vector<Value> flavors = {flavor()};
  Reconciled given;
  if (!job_is_gone) given.job = jobs.job();
  given.workloads = own;
  given.flavors = flavors;
  given.now = jobs.now();
  const Configuration configuration;
  for (const Value& each : own) {
    const WorkloadStep step =
        run_workload({.workload = each, .configuration = configuration, .now = jobs.now()});
    for (const Edit& edit : step.edits) {
      if (edit.verb != Edit::Verb::record) apply(edit);
    }
    if (!step.edits.empty()) return step.edits;
  }
  std::vector<Edit> edits = reconcile_workload(job_shape(), given);
  std::size_t kept = 0;
  for (const Edit& edit : edits) {
    if (edit.verb == Edit::Verb::record) continue;
    if (kept++ == losses.writes_kept || !apply(edit)) break;
  }
  return edits;
}

void QueueWorld::admit() {
  for (auto& [name, workload] : workloads_) {
    const bool is_held_back = objects::is_false(objects::condition(workload, "Requeued"));
    const bool waits = is_active_workload(workload) && !has_reservation(workload) &&
                       !is_finished(workload) && !is_held_back &&
                       !objects::is_being_deleted(workload);
    if (!waits) continue;
    const std::int64_t count = pod_sets_of(workload)[0].count;
    Value next = Draft(workload).set({"status", "admission"}, admission(count)).value();
    for (const std::string type : {"QuotaReserved", "Admitted"}) {
      next = stating(next, {.type = type, .reason = type, .message = "m"}, jobs.now());
    }
    if (is_evicted(workload)) {
      next = stating(next,
                     {.type = "Evicted", .holds = false, .reason = "QuotaReserved", .message = "m"},
                     jobs.now());
    }
    workload = next;
    touch(workload);
  }
}

void QueueWorld::evict(std::string_view reason) {
  for (auto& [name, workload] : workloads_) {
    if (!has_reservation(workload) || is_finished(workload) || is_evicted(workload)) continue;
    workload = evicted(workload, reason, "evicted", jobs.now());
    touch(workload);
  }
}

void QueueWorld::delete_workload() {
  std::erase_if(workloads_,
                [](const auto& entry) { return entry.second["metadata"]["finalizers"].empty(); });
  for (auto& [name, workload] : workloads_) {
    if (objects::is_being_deleted(workload)) continue;
    workload = Draft(workload)
                   .set({"metadata", "deletionTimestamp"}, Value::string("2027-01-15T08:00:00Z"))
                   .value();
    touch(workload);
  }
}

void QueueWorld::set_active(bool active) {
  for (auto& [name, workload] : workloads_) {
    workload = Draft(workload).set({"spec", "active"}, Value::boolean(active)).value();
    touch(workload);
  }
}

void QueueWorld::delete_job() {
  job_is_gone = true;
}

std::vector<Value> QueueWorld::workloads() const {
  std::vector<Value> all;
  for (const auto& [name, workload] : workloads_) all.push_back(workload);
  return all;
}

bool QueueWorld::is_held() const {
  for (const auto& [name, workload] : workloads_) {
    if (has_reservation(workload) && !is_finished(workload)) return true;
  }
  return false;
}

bool QueueWorld::apply(const Edit& edit) {
  return edit.resource == objects::resources::workloads ? apply_to_workload(edit)
                                                        : apply_to_job(edit);
}

bool QueueWorld::apply_to_job(const Edit& edit) {
  if (edit.verb == Edit::Verb::update_status) return jobs.update_job_status(edit.object);
  const bool was_suspended = jobs.job()["spec"]["suspend"].boolean_or(false);
  if (!jobs.update_job(edit.object)) return false;
  const bool starts = was_suspended && !jobs.job()["spec"]["suspend"].boolean_or(false);
  if (starts && !is_held()) jobs.violate("a job was started without quota");
  return true;
}

bool QueueWorld::apply_to_workload(const Edit& edit) {
  const std::string name(objects::name_of(edit.object));
  const auto found = workloads_.find(name);
  if (edit.verb == Edit::Verb::create) {
    if (found != workloads_.end()) return false;
    Value made = Draft(edit.object)
                     .set({"metadata", "uid"}, Value::string(fmt::format("w{}", version_)))
                     .value();
    touch(made);
    workloads_[name] = made;
    if (workloads_.size() > 1) jobs.violate("a job has two Workloads");
    return true;
  }
  if (found == workloads_.end()) return false;
  if (edit.verb == Edit::Verb::remove) {
    if (found->second["metadata"]["finalizers"].empty()) workloads_.erase(found);
    return true;
  }
  if (objects::resource_version_of(found->second) != objects::resource_version_of(edit.object)) {
    return false;
  }
  const bool held = is_held();
  found->second = edit.object;
  touch(found->second);
  const bool is_gone =
      objects::is_being_deleted(edit.object) && edit.object["metadata"]["finalizers"].empty();
  if (is_gone) workloads_.erase(found);
  const bool let_go = held && !is_held() && !job_is_gone && !jobs.is_finished();
  if (let_go && jobs.active_pods() != 0) jobs.violate("quota was freed while pods were active");
  return true;
}

void QueueWorld::touch(Value& workload) {
  workload = Draft(workload)
                 .set({"metadata", "resourceVersion"}, Value::string(std::to_string(++version_)))
                 .value();
}

}  // namespace muster::core
