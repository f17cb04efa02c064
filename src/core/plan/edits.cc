// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/checked.h"
#include "core/draft.h"
#include "core/model/limits.h"
#include "core/model/tables.h"
#include "core/plan/admission_status.h"
#include "core/plan/admission_value.h"
#include "core/plan/considered.h"
#include "core/plan/plan.h"
#include "core/preemption/message.h"
#include "core/queueing/workload_status.h"
#include "core/words.h"
#include "objects/edit.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

namespace resources = objects::resources;

using Lists = std::vector<std::vector<Edit>>;

constexpr std::string_view admission_component = "kueue-admission";
constexpr std::string_view scheduler_component = "default-scheduler";
constexpr std::string_view kubelet_component = "kubelet";

Edit note(const objects::Resource& resource, const Value& about, std::string_view component,
          std::string_view reason, std::string message, bool warning = false) {
  return Edit::record({.resource = resource,
                       .about = about,
                       .warning = warning,
                       .reason = std::string(reason),
                       .message = cut_message(std::move(message), event_message_bytes_max),
                       .component = std::string(component)});
}

// Seconds without a fraction, rounded to even as Go prints %.0f.
std::string seconds_text(Span span) {
  return fmt::format("{:.0f}s", static_cast<double>(span.nanoseconds) / 1e9);
}

Instant queued_at(View workload) {
  const auto requeued =
      objects::instant_of(objects::condition(workload, "Requeued")["lastTransitionTime"]);
  if (requeued) return *requeued;
  return objects::instant_of(workload["metadata"]["creationTimestamp"]).value_or(Instant{});
}

// Kueue says from the first moment on that pods are waited for. Here it is said in the write that
// says something else anyway: nobody who waits costs a write of its own.
Value with_pods_awaited(const Tables& tables, const Value& workload) {
  if (!tables.configuration.wait_for_pods_ready.enabled) return workload;
  if (objects::condition(workload, "PodsReady")) return workload;
  return stating(workload,
                 {.type = "PodsReady",
                  .holds = false,
                  .reason = "WaitForStart",
                  .message = "Not all pods are ready or succeeded"},
                 tables.now);
}

// What it asks for, as quota sees it.
Value with_requests(const Tables& tables, const WorkloadRow& row, const Value& workload) {
  std::vector<Value> list;
  for (const GangPodSet& set : row.spec.pod_sets) {
    Amounts total;
    for (const auto& [resource, amount] : set.effective_requests) {
      total.push_back({resource, saturating_multiply(amount, set.effective_count())});
    }
    Value resources = to_value(total, tables.names);
    list.push_back(Value::object({{"name", Value::string(set.name)}, {"resources", resources}}));
  }
  return objects::with(workload, {"status", "resourceRequests"}, list_of(list)).value_or(workload);
}

std::vector<Edit> admit_edits(const Tables& tables, const Decision& decision) {
  const Value& object = tables.workloads[decision.workload].object;
  const Value next = with_pods_awaited(
      tables,
      with_admission(object, admission_value(tables, decision), decision.is_admitted, tables.now));
  const std::string& queue = tables.cluster_queues.key(decision.queue);
  std::vector<Edit> edits{Edit::update_status(resources::workloads, next)};
  if (!decision.is_second_pass) {
    const std::string considered = considered_flavors(tables, *decision.assignment);
    edits.push_back(
        note(resources::workloads, next, admission_component, "QuotaReserved",
             fmt::format("Quota reserved in ClusterQueue {}, wait time since queued was {}{}{}",
                         queue, seconds_text(tables.now - queued_at(object)),
                         considered.empty() ? "" : "; Flavors considered: ", considered)));
  }
  if (decision.is_admitted && object["status"]["unhealthyNodes"].empty()) {
    edits.push_back(note(
        resources::workloads, next, admission_component, "Admitted",
        fmt::format("Admitted by ClusterQueue {}, wait time since reservation was 0s", queue)));
  }
  return edits;
}

// The slice that is replaced ends when the one that replaces it is admitted.
std::vector<Edit> finish_edits(const Tables& tables, const Decision& decision) {
  const WorkloadRow& row = tables.workloads[decision.workload];
  const Value& slice = tables.workloads[decision.replaced_slice].object;
  std::string message = fmt::format(
      "Replaced to accommodate a workload (UID: {}, JobUID: {}) due to workload slice aggregation",
      row.uid, job_uid(row.object));
  const Value next = with_finished(slice, "WorkloadSliceReplaced", message, tables.now);
  return {Edit::update_status(resources::workloads, next),
          note(resources::workloads, next, admission_component, "WorkloadSliceReplaced",
               std::move(message))};
}

std::string priorities_text(const Workload& preemptor, const Workload& victim) {
  return fmt::format(
      "; preemptor effective priority: {} (base: {}, boost: {}); preemptee effective priority: {} "
      "(base: {}, boost: {})",
      preemptor.effective_priority(), preemptor.priority, preemptor.priority_boost,
      victim.effective_priority(), victim.priority, victim.priority_boost);
}

std::vector<Edit> preempt_edits(const Tables& tables, const Decision& decision,
                                const Target& target) {
  const WorkloadRow& preemptor = tables.workloads[decision.workload];
  const WorkloadRow& victim = tables.workloads[target.workload];
  const std::string message = preemption_message(tables, decision.workload, decision.queue, target);
  const Value next =
      with_preemption(victim.object, reason_name(target.reason), message, tables.now);
  const std::string priorities = priorities_text(preemptor.spec, victim.spec);
  return {Edit::update_status(resources::workloads, next),
          note(resources::workloads, next, admission_component, "EvictedDueToPreempted", message),
          note(resources::workloads, next, admission_component, "Preempted", message + priorities),
          note(resources::workloads, preemptor.object, admission_component, "PreemptedWorkload",
               fmt::format("Preempted workload {} (UID: {}) in ClusterQueue {}{}",
                           tables.workloads.key(target.workload), victim.uid,
                           victim.spec.admission->cluster_queue, priorities))};
}

std::vector<Edit> evict_edits(const Tables& tables, WorkloadId id, const Because& because) {
  const Value next =
      with_eviction(tables.workloads[id].object, because.reason(), because.message(), tables.now);
  return {Edit::update_status(resources::workloads, next),
          note(resources::workloads, next, admission_component,
               fmt::format("EvictedDueTo{}", because.reason()), because.message())};
}

// From here on the reason counts as being written, where it is not what the object says already.
std::vector<Edit> wait_edits(Tables& tables, WorkloadId id, const Because& because,
                             bool was_tried) {
  const Value& object = tables.workloads[id].object;
  const bool is_granular =
      tables.configuration.gates.enabled(Gate::unadmitted_workloads_observability);
  Value next = with_wait(object, because, is_granular, tables.now);
  if (next.view() == object.view()) return {};
  next = with_pods_awaited(tables, next);
  if (was_tried) next = with_requests(tables, tables.workloads[id], next);
  const View condition = objects::condition(next, "QuotaReserved");
  tables.assume_told(id, condition["message"].string_or(""));
  return {Edit::update_status(resources::workloads, next),
          note(resources::workloads, next, admission_component, condition["reason"].string_or(""),
               because.message(), true)};
}

Edit binding(const Action& action) {
  Value metadata = Value::object({{"name", Value::string(action.key.name)},
                                  {"namespace", Value::string(action.key.name_space)},
                                  {"uid", Value::string(action.uid)}});
  if (!action.address.empty()) {
    metadata =
        objects::with(metadata, {"annotations", words::pod_ip}, Value::string(action.address))
            .must();
  }
  const Value object = Value::object({{"apiVersion", Value::string("v1")},
                                      {"kind", Value::string("Binding")},
                                      {"metadata", metadata},
                                      {"target", Value::object({
                                                     {"apiVersion", Value::string("v1")},
                                                     {"kind", Value::string("Node")},
                                                     {"name", Value::string(action.node)},
                                                 })}});
  return Edit::bind(resources::pods, object);
}

std::vector<Edit> bind_edits(const Value& pod, const Action& action) {
  return {binding(action),
          note(resources::pods, pod, scheduler_component, "Scheduled",
               fmt::format("Successfully assigned {} to {}", action.key.to_string(), action.node))};
}

std::vector<Edit> unbindable_edits(const Tables& tables, const Value& pod, const Action& action) {
  const Value next = with_unschedulable(pod, action.because, tables.now);
  if (next.view() == pod.view()) return {};
  return {Edit::update_status(resources::pods, next),
          note(resources::pods, next, scheduler_component, "FailedScheduling",
               action.because.message(), true)};
}

// As a kubelet says it.
std::vector<Edit> refuse_edits(const Tables& tables, const Value& pod, const Action& action) {
  const Reason& why = action.because.reasons.front();
  return {Edit::update_status(resources::pods, with_refusal(pod, why.name, why.detail, tables.now)),
          note(resources::pods, pod, kubelet_component, why.name, why.detail, true)};
}

std::vector<Edit> edits_of_pod(const Tables& tables, const Value& pod, const Action& action) {
  switch (action.type) {
    case Action::Type::bind:
      return bind_edits(pod, action);
    case Action::Type::receive:
      return {binding(action)};
    case Action::Type::refuse:
      return refuse_edits(tables, pod, action);
    default:
      return unbindable_edits(tables, pod, action);
  }
}

std::vector<Edit> edits_of_action(Tables& tables, const Action& action) {
  const std::string key = action.key.to_string();
  if (action.type != Action::Type::tell && action.type != Action::Type::evict) {
    const PodId id = tables.pods.find(key);
    if (id.is_none() || tables.pods[id].uid != action.uid) return {};
    return edits_of_pod(tables, tables.pods[id].object, action);
  }
  const WorkloadId id = tables.workloads.find(key);
  if (id.is_none() || tables.workloads[id].uid != action.uid) return {};
  if (action.type == Action::Type::evict) return evict_edits(tables, id, action.because);
  // The cycle that told it may have tried it as well, because another queue of its tree was ready:
  // what came of that is the word, and a second one under way would never end.
  const WorkloadRow& row = tables.workloads[id];
  if (row.assumed || (row.standing == Standing::waiting && !row.telling.empty())) return {};
  return wait_edits(tables, id, action.because, false);
}

void add(Lists& lists, std::vector<Edit> edits) {
  if (!edits.empty()) lists.push_back(std::move(edits));
}

void add_actions(Lists& lists, Tables& tables, const Plan& plan, Action::Type type) {
  for (const Action& action : plan.actions) {
    if (action.type == type) add(lists, edits_of_action(tables, action));
  }
}

void add_evictions(Lists& lists, Tables& tables, const Plan& plan) {
  add_actions(lists, tables, plan, Action::Type::evict);
  for (const Decision& decision : plan.decisions) {
    if (decision.type == Decision::Type::evict) {
      add(lists, evict_edits(tables, decision.workload, because_of(tables, decision)));
    }
    if (decision.type != Decision::Type::preempt) continue;
    for (const Target& target : decision.targets) {
      // Who was asked to go before is not asked again; who is being admitted, not before it is.
      const WorkloadRow& victim = tables.workloads[target.workload];
      if (victim.assumed || is_true(objects::condition(victim.object, "Evicted"))) continue;
      add(lists, preempt_edits(tables, decision, target));
    }
  }
}

// Without the gate a search goes on only where nothing is written meanwhile, and Kueue writes.
bool has_flavors_left(const Tables& tables, const Decision& decision) {
  return tables.configuration.gates.enabled(Gate::flavor_fungibility_preserve_scan_progress) &&
         decision.was_tried && !decision.forgets_tried &&
         decision.assignment->tried.has_pending_flavors() &&
         place_after(tables, decision) == PendingPlace::active;
}

void add_waits(Lists& lists, Tables& tables, const Plan& plan) {
  for (const Decision& decision : plan.decisions) {
    const bool waits =
        decision.type == Decision::Type::wait || decision.type == Decision::Type::preempt;
    // Who lost a race, or has flavors left to try, is tried again at once: the next cycle says what
    // there is to say. Otherwise the message would name one flavor now and the other then.
    if (waits && decision.is_second_pass) {
      add(lists, {note(resources::workloads, tables.workloads[decision.workload].object,
                       admission_component, "SecondPassFailed",
                       because_of(tables, decision).message(), true)});
    }
    if (!waits || decision.is_second_pass || decision.word == WaitWord::lost_race) continue;
    if (decision.type == Decision::Type::wait && has_flavors_left(tables, decision)) continue;
    add(lists, wait_edits(tables, decision.workload, because_of(tables, decision), true));
  }
  add_actions(lists, tables, plan, Action::Type::tell);
}

}  // namespace

bool is_victim(const Plan& plan, const Decision& admission) {
  const WorkloadId id = admission.workload;
  return admission.is_second_pass &&
         std::ranges::any_of(plan.decisions, [&](const Decision& decision) {
           return decision.type == Decision::Type::preempt &&
                  std::ranges::find(decision.targets, id, &Target::workload) !=
                      decision.targets.end();
         });
}

std::vector<std::vector<Edit>> edits_of(ClusterState& state, const Plan& plan) {
  Tables& tables = state.tables();
  Lists lists;
  add_evictions(lists, tables, plan);
  for (const Decision& decision : plan.decisions) {
    if (decision.type != Decision::Type::admit || is_victim(plan, decision)) continue;
    std::vector<Edit> edits = admit_edits(tables, decision);
    // A list ends where a write is refused: who is not admitted replaces nobody.
    if (!decision.replaced_slice.is_none()) {
      for (Edit& edit : finish_edits(tables, decision)) edits.push_back(std::move(edit));
    }
    add(lists, std::move(edits));
  }
  add_actions(lists, tables, plan, Action::Type::bind);
  add_actions(lists, tables, plan, Action::Type::receive);
  add_actions(lists, tables, plan, Action::Type::refuse);
  add_waits(lists, tables, plan);
  add_actions(lists, tables, plan, Action::Type::unbindable);
  return lists;
}

}  // namespace muster::core
