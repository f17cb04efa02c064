// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/validate_workload_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/queueing/validate_gates.h"
#include "core/queueing/validate_workload.h"
#include "core/words.h"
#include "objects/builder.h"
#include "objects/go_structs.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"

namespace muster::core {

using objects::Builder;
using objects::FieldError;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view immutable = "field is immutable";

// The object with one of its members replaced by another's; absent: without it.
Value with_member(const Value& object, std::string_view key, const Value& donor) {
  Builder builder;
  builder.retain(object);
  builder.retain(donor);
  Rewrite changed(object);
  changed.set(key, donor[key].node());
  const Node node = changed.finish(builder);
  return std::move(builder).finish(node);
}

void check_pod_set(const Value& pod_set, const Value& old_pod_set, const std::string& path,
                   const FeatureGates& gates, WebhookReport& report) {
  const auto type = objects::go_type("kueue.v1beta2.PodSet");
  // An elastic job may shrink, and the error then shows the count that it had.
  const bool shrinks = gates.enabled(Gate::elastic_jobs_via_workload_slices) &&
                       pod_set["count"].integer_or(0) < old_pod_set["count"].integer_or(0);
  const Value compared = shrinks ? with_member(pod_set, "count", old_pod_set) : pod_set;
  if (objects::go_equal(type, compared, old_pod_set)) return;
  report.invalid(path, objects::to_go_json(type, compared), std::string(immutable));
}

// The list as Go writes it, element by element.
std::string printed_list(std::string_view type_name, const Value& list) {
  if (!is_set(list)) return "null";
  std::string printed = "[";
  for (const View element : list.view().elements()) {
    if (printed.size() > 1) printed += ',';
    printed += objects::to_go_json(objects::go_type(type_name), list.part(element));
  }
  return printed + "]";
}

void check_pod_sets(const Value& workload, const Value& old_workload, const FeatureGates& gates,
                    WebhookReport& report) {
  const View now = workload["spec"]["podSets"];
  const View before = old_workload["spec"]["podSets"];
  if (now.size() != before.size()) {
    report.invalid("spec.podSets", printed_list("kueue.v1beta2.PodSet", workload.part(now)),
                   std::string(immutable));
    return;
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    check_pod_set(workload.part(now[i]), old_workload.part(before[i]),
                  fmt::format("spec.podSets.{}", i), gates, report);
  }
}

using Counts = std::map<std::string_view, std::int64_t>;

Counts reclaimable_counts(View workload) {
  Counts counts;
  for (const View pods : workload["status"]["reclaimablePods"].elements()) {
    counts[pods["name"].string_or("")] = pods["count"].integer_or(0);
  }
  return counts;
}

// The pod sets of an elastic workload that are smaller now than what was admitted.
std::set<std::string_view> shrunk_pod_sets(View workload, const FeatureGates& gates) {
  std::set<std::string_view> shrunk;
  if (!is_elastic(workload, gates)) return shrunk;
  Counts sizes;
  for (const View pod_set : workload["spec"]["podSets"].elements()) {
    sizes[pod_set["name"].string_or("")] = pod_set["count"].integer_or(0);
  }
  for (const View assigned : workload["status"]["admission"]["podSetAssignments"].elements()) {
    const std::string_view name = assigned["name"].string_or("");
    if (is_set(assigned["count"]) && assigned["count"].integer_or(0) > sizes[name]) {
      shrunk.insert(name);
    }
  }
  return shrunk;
}

void check_reclaimable_pods(View workload, View old_workload, const FeatureGates& gates,
                            WebhookReport& report) {
  const Counts before = reclaimable_counts(old_workload);
  const Counts now = reclaimable_counts(workload);
  const auto path_of = [](std::string_view name) {
    return fmt::format("status.reclaimablePods[{}]", name);
  };
  const bool same_size = workload["status"]["reclaimablePods"].size() ==
                         old_workload["status"]["reclaimablePods"].size();
  if (same_size && now == before) return;
  const auto shrunk = shrunk_pod_sets(workload, gates);
  for (const View pods : workload["status"]["reclaimablePods"].elements()) {
    const std::string_view name = pods["name"].string_or("");
    const std::int64_t count = pods["count"].integer_or(0);
    const auto old = before.find(name);
    if (old == before.end() || count >= old->second || shrunk.contains(name)) continue;
    report.invalid(path_of(name) + ".count", fmt::format("{}", count),
                   fmt::format("cannot be less than {}", old->second));
  }
  for (const auto& [name, count] : before) {
    if (now.contains(name) || shrunk.contains(name)) continue;
    report.errors.add(FieldError::required(path_of(name), "cannot be removed"));
  }
}

// Admission is set and unset, but never altered; only where pods go is found out later.
void check_admission(const Value& workload, const Value& old_workload, const FeatureGates& gates,
                     WebhookReport& report) {
  const View now = workload["status"]["admission"];
  const View before = old_workload["status"]["admission"];
  if (!is_set(now) || !is_set(before)) return;
  const auto admission = objects::go_type("kueue.v1beta2.Admission");
  const View assignments = now["podSetAssignments"];
  const View old_assignments = before["podSetAssignments"];
  bool same = false;
  if (gates.enabled(Gate::topology_aware_scheduling) &&
      assignments.size() == old_assignments.size()) {
    const auto assignment = objects::go_type("kueue.v1beta2.PodSetAssignment");
    same = now["clusterQueue"].string_or("") == before["clusterQueue"].string_or("");
    for (std::size_t i = 0; i < assignments.size() && same; ++i) {
      const Value part = workload.part(assignments[i]);
      Value old = with_member(old_workload.part(old_assignments[i]), "topologyAssignment", part);
      old = with_member(old, "delayedTopologyRequest", part);
      same = objects::go_equal(assignment, part, old);
    }
  } else {
    same = objects::go_equal(admission, now, before);
  }
  if (same) return;
  report.invalid("status.admission", objects::to_go_json(admission, workload.part(now)),
                 std::string(immutable));
}

bool same_updates(View now, View before) {
  const auto type = objects::go_type("kueue.v1beta2.PodSetUpdate");
  if (now.size() != before.size()) return false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!objects::go_equal(type, now[i], before[i])) return false;
  }
  return true;
}

void check_ready_checks(const Value& workload, View old_workload, WebhookReport& report) {
  std::map<std::string_view, View> checks;
  for (const View check : workload["status"]["admissionChecks"].elements()) {
    checks[check["name"].string_or("")] = check;
  }
  const View before = old_workload["status"]["admissionChecks"];
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto found = checks.find(before[i]["name"].string_or(""));
    if (found == checks.end() || before[i]["state"].string_or("") != "Ready") continue;
    if (found->second["state"].string_or("") != "Ready") continue;
    const View updates = found->second["podSetUpdates"];
    if (same_updates(updates, before[i]["podSetUpdates"])) continue;
    report.invalid(fmt::format("status.admissionChecks[{}].podSetUpdates", i),
                   printed_list("kueue.v1beta2.PodSetUpdate", workload.part(updates)),
                   std::string(immutable));
  }
}

void check_cluster_name(View workload, View old_workload, const FeatureGates& gates,
                        WebhookReport& report) {
  const bool replaces = is_set(objects::annotations_of(workload)[words::slice_replacement_for]);
  if (gates.enabled(Gate::elastic_jobs_via_workload_slices) && replaces) return;
  const View name = workload["status"]["clusterName"];
  if (!is_set(name) || is_set(old_workload["status"]["clusterName"])) return;
  for (const View nominee : old_workload["status"]["nominatedClusterNames"].elements()) {
    if (nominee == name) return;
  }
  report.invalid("status.clusterName", word(name.string_or("")),
                 "when setting clusterName it must be one of the nominatedClusterNames");
}

}  // namespace

void check_workload_update(const Value& workload, const Value& old_workload,
                           const FeatureGates& gates, WebhookReport& report) {
  if (reserves_quota(old_workload)) {
    check_pod_sets(workload, old_workload, gates, report);
    if (reserves_quota(workload)) {
      check_reclaimable_pods(workload, old_workload, gates, report);
    }
  }
  check_admission(workload, old_workload, gates, report);
  check_ready_checks(workload, old_workload, report);
  check_cluster_name(workload, old_workload, gates, report);
  if (gates.enabled(Gate::admission_gated_by)) {
    check_admission_gates_update(objects::annotations_of(workload)[words::admission_gated_by],
                                 objects::annotations_of(old_workload)[words::admission_gated_by],
                                 report);
  }
}

}  // namespace muster::core
