// The shapes of a plain pod and of a pod group, which are alike: a pod waits behind a scheduling
// gate, starts when the gate goes, and is stopped by being deleted; what is to run again is a new
// pod. The job of these functions is that of core/queueing/pod_job.h.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/draft.h"
#include "core/queueing/pod_group.h"
#include "core/queueing/pod_job.h"
#include "core/queueing/pod_sets.h"
#include "core/queueing/pod_words.h"
#include "core/queueing/shape.h"
#include "core/queueing/topology_annotations.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;
using objects::resources::pods;

namespace {

// A pod is no template: only its spec is taken.
PodSet pod_set_of(const Value& job, View pod, std::string name) {
  PodSet set;
  set.name = std::move(name);
  set.pod_template = without_repeated_variables(
      Value::object({{"metadata", Value::object({})}, {"spec", job.part(pod["spec"])}}));
  set.count = 1;
  set.topology_request = topology_request(pod, words::pod_group_pod_index);
  return set;
}

// One set of the first role that can run, as large as the group.
Result<std::vector<PodSet>> fast_pod_sets(const Value& job) {
  const std::int64_t total = TRY(group_total_of(job));
  for (View pod : members_of(job).elements()) {
    if (!can_run_or_succeeded(pod)) continue;
    PodSet set = pod_set_of(job, pod, role_of(pod));
    set.count = total;
    return std::vector<PodSet>{std::move(set)};
  }
  return Error::invalid("failed to find a runnable pod in the group");
}

Result<std::vector<PodSet>> pod_sets(const Value& job) {
  if (!is_group(job)) {
    return std::vector<PodSet>{pod_set_of(job, members_of(job)[0], std::string(main_pod_set))};
  }
  if (is_fast(job)) return fast_pod_sets(job);
  std::map<std::string, PodSet> roles;
  for (View pod : members_of(job).elements()) {
    if (!can_run_or_succeeded(pod)) continue;
    std::string role = role_of(pod);
    const auto known = roles.find(role);
    if (known != roles.end()) {
      ++known->second.count;
    } else {
      roles.emplace(role, pod_set_of(job, pod, role));
    }
  }
  std::vector<PodSet> sets;
  sets.reserve(roles.size());
  for (auto& [role, set] : roles) sets.push_back(std::move(set));
  return sets;
}

bool is_suspended(View job) {
  for (View pod : members_of(job).elements()) {
    if (is_suspended_pod(pod)) return true;
  }
  return false;
}

bool is_stopping(View /*job*/) {
  return false;
}

bool is_active(View job) {
  return job["isActive"].boolean_or(false);
}

bool is_ready(View job) {
  std::int64_t ready = 0;
  for (View pod : members_of(job).elements()) {
    const bool is_well = pod["status"]["phase"].string_or("") == "Succeeded" ||
                         objects::is_true(objects::condition(pod, "Ready"));
    if (!is_well) return false;
    ++ready;
  }
  if (!is_group(job)) return true;
  const auto total = group_total_of(job);
  return total && ready >= *total;
}

std::optional<Outcome> group_outcome(View job) {
  const auto total = group_total_of(job);
  if (is_serving(job) || !total) return std::nullopt;
  std::int64_t succeeded = 0;
  bool runs = false;
  bool retries = true;
  for (View pod : members_of(job).elements()) {
    if (pod["status"]["phase"].string_or("") == "Succeeded") ++succeeded;
    runs = runs || !has_ended(pod);
    retries = retries && !is_unretriable(pod);
  }
  if (succeeded != *total && (runs || retries)) return std::nullopt;
  return Outcome{true, fmt::format("Pods succeeded: {}/{}.", succeeded, *total)};
}

std::optional<Outcome> outcome(View job) {
  if (is_group(job)) return group_outcome(job);
  const View pod = members_of(job)[0];
  if (!has_ended(pod)) return std::nullopt;
  return Outcome{pod["status"]["phase"].string_or("") == "Succeeded",
                 std::string(pod["status"]["message"].string_or(""))};
}

std::vector<Reclaimable> reclaimable(View job) {
  if (!is_group(job) || is_serving(job)) return {};
  std::vector<Reclaimable> done;
  for (View pod : members_of(job).elements()) {
    if (pod["status"]["phase"].string_or("") != "Succeeded") continue;
    const std::string role = role_of(pod);
    const auto known = std::find_if(done.begin(), done.end(),
                                    [&](const Reclaimable& each) { return each.pod_set == role; });
    if (known == done.end()) {
      done.push_back({role, 1});
    } else {
      ++known->count;
    }
  }
  return done;
}

Value without_gates(const Value& pod) {
  std::vector<Value> kept;
  for (View gate : pod["spec"]["schedulingGates"].elements()) {
    const std::string_view name = gate["name"].string_or("");
    if (name == words::admission_gate || name == words::topology_gate) continue;
    kept.push_back(pod.part(gate));
  }
  return Draft(pod).set_or_drop({"spec", "schedulingGates"}, list_of(kept)).value();
}

const PodSetInjection* injection_for(View job, View pod, std::span<const PodSetInjection> sets) {
  if (!is_group(job)) return &sets[0];
  const std::string role = role_of(pod);
  const auto found = std::find_if(sets.begin(), sets.end(),
                                  [&](const PodSetInjection& set) { return set.name == role; });
  return found == sets.end() ? nullptr : &*found;
}

// A group that is admitted before all its pods are there does not start as a gang.
PodSetInjection for_pod(PodSetInjection injection, View pod) {
  if (!is_fast(pod)) return injection;
  std::erase_if(injection.annotations, [](const auto& each) {
    return each.first == words::gang || each.first == words::gang_size;
  });
  return injection;
}

Result<std::vector<Edit>> start(const Value& job, std::span<const PodSetInjection> sets) {
  if (!is_group(job) && sets.size() != 1) {
    return Error::invalid(
        fmt::format("invalid podset infos: expecting 1 pod set got {}", sets.size()));
  }
  std::vector<Edit> edits;
  for (View member : members_of(job).elements()) {
    if (!is_gated_pod(member) || objects::is_being_deleted(member)) continue;
    const PodSetInjection* injection = injection_for(job, member, sets);
    if (injection == nullptr) {
      return Error::invalid(fmt::format(
          "invalid podset infos: podSetInfo with the name '{}' is not found", role_of(member)));
    }
    const Value pod = TRY(injected(job.part(member), for_pod(*injection, member)));
    Edit edit = Edit::update(pods, without_gates(pod));
    edit.alongside = true;
    edits.push_back(std::move(edit));
  }
  return edits;
}

Value with_termination_target(const Value& pod, const StopOrder& order) {
  return objects::with_condition(pod,
                                 {.type = "TerminationTarget",
                                  .status = "True",
                                  .reason = order.reason,
                                  .message = order.message},
                                 order.now);
}

// The Workload is gone for good: nothing holds the pods of a group back any longer.
std::vector<Edit> let_pods_go(const Value& job) {
  std::vector<Edit> edits;
  for (View member : members_of(job).elements()) {
    if (!objects::has_finalizer(member, words::pod_finalizer)) continue;
    edits.push_back(Edit::update(pods, without_finalizer(job.part(member), words::pod_finalizer)));
  }
  return edits;
}

Stop stop(const Value& job, const StopOrder& order) {
  const bool is_final = order.reason == stop_of_deleted;
  Stop next;
  for (View member : members_of(job).elements()) {
    if (objects::is_being_deleted(member)) continue;
    // With its Workload go also the pods that have ended.
    if (!is_final && is_suspended_pod(member)) continue;
    const Value pod = job.part(member);
    next.edits.push_back(Edit::update_status(pods, with_termination_target(pod, order)));
    next.edits.push_back(Edit::remove(pods, pod));
    next.begins = true;
  }
  if (next.edits.empty() && is_final) next.edits = let_pods_go(job);
  if (!next.edits.empty()) {
    next.state = Stop::State::writing;
  } else if (is_active(job)) {
    next.state = Stop::State::waiting;
  }
  return next;
}

constexpr Shape shape_of_pods = {
    .resource = pods,
    .integration = "pod",
    .pod_sets = pod_sets,
    .is_suspended = is_suspended,
    .is_stopping = is_stopping,
    .is_active = is_active,
    .is_ready = is_ready,
    .outcome = outcome,
    .reclaimable = reclaimable,
    .start = start,
    .stop = stop,
    .ends_when_stopped = true,
};

Shape shape_of_groups() {
  Shape shape = shape_of_pods;
  shape.matches = group_matches;
  shape.completed = group_workload;
  return shape;
}

}  // namespace

const Shape& pod_shape() {
  return shape_of_pods;
}

const Shape& pod_group_shape() {
  static const Shape shape = shape_of_groups();
  return shape;
}

}  // namespace muster::core
