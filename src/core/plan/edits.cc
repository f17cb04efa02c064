// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "core/model/limits.h"
#include "core/model/tables.h"
#include "core/plan/admission_status.h"
#include "core/plan/plan.h"
#include "core/words.h"
#include "objects/edit.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

namespace resources = objects::resources;

constexpr std::string_view admission_component = "kueue-admission";
constexpr std::string_view scheduler_component = "default-scheduler";

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

std::vector<Edit> admit_edits(const Tables& tables, const Value& object, const Action& action) {
  const Value next = objects::with(object, {"status"}, action.status).must();
  const std::string_view queue = next["status"]["admission"]["clusterQueue"].string_or("");
  std::vector<Edit> edits{Edit::update_status(resources::workloads, next)};
  edits.push_back(
      note(resources::workloads, next, admission_component, "QuotaReserved",
           fmt::format("Quota reserved in ClusterQueue {}, wait time since queued was {}", queue,
                       seconds_text(tables.now - queued_at(object)))));
  if (is_true(objects::condition(next, "Admitted"))) {
    edits.push_back(note(
        resources::workloads, next, admission_component, "Admitted",
        fmt::format("Admitted by ClusterQueue {}, wait time since reservation was 0s", queue)));
  }
  return edits;
}

std::vector<Edit> evict_edits(const Tables& tables, const Value& object, const Action& action) {
  const Value next = with_eviction(object, action.because, tables.now);
  return {Edit::update_status(resources::workloads, next),
          note(resources::workloads, next, admission_component,
               fmt::format("EvictedDueTo{}", action.because.reason()), action.because.message())};
}

std::vector<Edit> wait_edits(const Tables& tables, const Value& object, const Action& action) {
  // Who lost a race is tried again at once: the next cycle says what there is to say.
  if (action.because.reasons.front().type == Reason::Type::lost_race) return {};
  const Value next = with_wait(object, action.because, tables.now);
  if (next.view() == object.view()) return {};
  return {Edit::update_status(resources::workloads, next),
          note(resources::workloads, next, admission_component, action.because.reason(),
               action.because.message(), true)};
}

std::vector<Edit> bind_edits(const Value& pod, const Action& action) {
  Value metadata = Value::object({{"name", Value::string(action.key.name)},
                                  {"namespace", Value::string(action.key.name_space)},
                                  {"uid", Value::string(action.uid)}});
  if (!action.address.empty()) {
    metadata =
        objects::with(metadata, {"annotations", words::pod_ip}, Value::string(action.address))
            .must();
  }
  const Value binding = Value::object({{"apiVersion", Value::string("v1")},
                                       {"kind", Value::string("Binding")},
                                       {"metadata", metadata},
                                       {"target", Value::object({
                                                      {"apiVersion", Value::string("v1")},
                                                      {"kind", Value::string("Node")},
                                                      {"name", Value::string(action.node)},
                                                  })}});
  return {Edit::bind(resources::pods, binding),
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

std::vector<Edit> edits_of_action(const Tables& tables, const Action& action) {
  const std::string key = action.key.to_string();
  if (action.type == Action::Type::bind || action.type == Action::Type::unbindable) {
    const PodId id = tables.pods.find(key);
    if (id.is_none() || tables.pods[id].uid != action.uid) return {};
    const Value& pod = tables.pods[id].object;
    return action.type == Action::Type::bind ? bind_edits(pod, action)
                                             : unbindable_edits(tables, pod, action);
  }
  const WorkloadId id = tables.workloads.find(key);
  if (id.is_none() || tables.workloads[id].uid != action.uid) return {};
  const Value& object = tables.workloads[id].object;
  if (action.type == Action::Type::admit) return admit_edits(tables, object, action);
  if (action.type == Action::Type::evict) return evict_edits(tables, object, action);
  return wait_edits(tables, object, action);
}

}  // namespace

std::vector<std::vector<Edit>> edits_of(const ClusterState& state, const Plan& plan) {
  constexpr std::array<Action::Type, 5> sequence{Action::Type::evict, Action::Type::admit,
                                                 Action::Type::bind, Action::Type::wait,
                                                 Action::Type::unbindable};
  std::vector<std::vector<Edit>> lists;
  for (const Action::Type type : sequence) {
    for (const Action& action : plan.actions) {
      if (action.type != type) continue;
      std::vector<Edit> edits = edits_of_action(state.tables(), action);
      if (!edits.empty()) lists.push_back(std::move(edits));
    }
  }
  return lists;
}

}  // namespace muster::core
