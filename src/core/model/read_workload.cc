// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_workload.h"

#include <algorithm>

#include "core/model/limits.h"
#include "core/model/pod_requests.h"
#include "core/words.h"
#include "objects/builder.h"
#include "objects/convert_kueue_topology.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Builder;
using objects::View;

namespace {

Result<GangPodSet> read_pod_set(View view, View reclaimable, ResourceNames& names) {
  const View spec = view["template"]["spec"];
  GangPodSet set{.name = std::string(view["name"].string_or("main")),
                 .count = view["count"].integer_or(1),
                 .requests = {},
                 .terms = {}};
  if (set.count < 0 || set.count > pod_set_count_max) {
    return Error::invalid("must be a count of pods", "spec.podSets.count");
  }
  for (const View entry : reclaimable.elements()) {
    if (entry["name"].string_or("") == set.name) set.reclaimable = entry["count"].integer_or(0);
  }
  set.reclaimable = std::clamp<std::int64_t>(set.reclaimable, 0, set.count);
  set.requests = TRY(pod_requests(spec, names));
  set.terms = TRY(read_scheduling_terms(spec));
  return set;
}

// Only an assignment down to hosts pins pods; others are promises about racks and blocks.
Result<> read_topology(View assignment, PodSetAssignment& into) {
  const View levels = assignment["levels"];
  if (levels.empty()) return {};
  const std::size_t lowest = levels.size() - 1;
  if (levels[lowest].string_or("") != words::hostname_label) return {};
  Builder builder;
  const objects::Node root = TRY(objects::unpack_topology_assignment(builder, assignment));
  into.pinned = true;
  for (const View domain : View(&root)["domains"].elements()) {
    const std::int64_t count = domain["count"].integer_or(0);
    if (count < 0 || count > pod_set_count_max) {
      return Error::invalid("must be a count of pods", "status.admission.podSetAssignments");
    }
    into.domains.push_back({std::string(domain["values"][lowest].string_or("")), count});
  }
  return {};
}

Result<PodSetAssignment> read_assignment(View view, ResourceNames& names) {
  PodSetAssignment assignment{.name = std::string(view["name"].string_or("main")),
                              .count = view["count"].integer_or(-1),
                              .flavors = {},
                              .usage = TRY(read_amounts(view["resourceUsage"], names)),
                              .domains = {}};
  for (const auto& [resource, flavor] : view["flavors"].members()) {
    assignment.flavors.emplace_back(TRY(names.intern(resource)), flavor.string_or(""));
  }
  TRY(read_topology(view["topologyAssignment"], assignment));
  return assignment;
}

Result<Admission> read_admission(View view, const std::vector<GangPodSet>& sets,
                                 ResourceNames& names) {
  Admission admission{.cluster_queue = std::string(view["clusterQueue"].string_or("")),
                      .pod_sets = {}};
  for (const View entry : view["podSetAssignments"].elements()) {
    PodSetAssignment assignment = TRY(read_assignment(entry, names));
    const auto set = std::ranges::find(sets, assignment.name, &GangPodSet::name);
    if (assignment.count < 0) assignment.count = set == sets.end() ? 0 : set->count;
    admission.pod_sets.push_back(std::move(assignment));
  }
  return admission;
}

void read_conditions(View object, Workload& workload) {
  workload.is_finished = is_true(condition(object, "Finished"));
  workload.is_quota_reserved =
      is_true(condition(object, "QuotaReserved")) && object["status"]["admission"].is_object();
  workload.is_admitted = workload.is_quota_reserved && is_true(condition(object, "Admitted"));
  const View evicted = condition(object, "Evicted");
  workload.is_evicted = is_true(evicted);
  workload.evicted_reason = evicted["reason"].string_or("");
  workload.evicted_at = objects::instant_of(evicted["lastTransitionTime"]).value_or(Instant{});
  const View reserved = condition(object, "QuotaReserved");
  workload.is_on_hold = is_false(reserved) && reserved["reason"].string_or("") == "OnHold";
  workload.waits_for_replacement = is_true(condition(object, "WaitingForReplacementPods"));
  workload.may_requeue = !is_false(condition(object, "Requeued"));
}

void read_checks(View status, Workload& workload) {
  for (const View check : status["admissionChecks"].elements()) {
    const std::string_view state = check["state"].string_or("");
    if (state == "Ready") workload.ready_checks.emplace_back(check["name"].string_or(""));
    if (state == "Retry" || state == "Rejected") workload.has_failed_checks = true;
  }
}

std::string read_owner(View object) {
  const View controller = objects::controller_of(object);
  const View owner = controller ? controller : object["metadata"]["ownerReferences"][0];
  return std::string(owner["uid"].string_or(""));
}

}  // namespace

Result<Workload> read_workload(const objects::Value& object, ResourceNames& names) {
  const View spec = object["spec"];
  const View status = object["status"];
  Workload workload;
  workload.queue_name = spec["queueName"].string_or("");
  workload.priority = spec["priority"].integer_or(0);
  workload.created =
      objects::instant_of(object["metadata"]["creationTimestamp"]).value_or(Instant{});
  workload.owner_uid = read_owner(object);
  workload.is_active = spec["active"].boolean_or(true);
  const View gated_by = annotations_of(object)[words::admission_gated_by];
  workload.is_gated = !gated_by.string_or("").empty();
  workload.requeue_at = objects::instant_of(status["requeueState"]["requeueAt"]);
  read_conditions(object, workload);
  read_checks(status, workload);
  for (const View set : spec["podSets"].elements()) {
    workload.pod_sets.push_back(TRY(read_pod_set(set, status["reclaimablePods"], names)));
  }
  if (workload.pod_sets.empty()) return Error::invalid("has no pod sets", "spec.podSets");
  if (workload.is_quota_reserved) {
    workload.admission = TRY(read_admission(status["admission"], workload.pod_sets, names));
  }
  return workload;
}

}  // namespace muster::core
