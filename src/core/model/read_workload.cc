// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/model/equivalence.h"
#include "core/model/gang_library.h"
#include "core/model/limits.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::View;

namespace {

std::optional<std::int64_t> optional_integer(View view) {
  if (!view.is_integer()) return std::nullopt;
  return view.integer_or(0);
}

TopologyRequest read_topology_request(View view) {
  TopologyRequest request;
  request.present = view.is_object();
  if (!request.present) return request;
  const View required = view["required"];
  const View preferred = view["preferred"];
  request.has_unconstrained = view["unconstrained"].is_boolean();
  if (required.is_string()) {
    request.mode = TopologyRequest::Mode::required;
    request.level = *required.string();
  } else if (preferred.is_string()) {
    request.mode = TopologyRequest::Mode::preferred;
    request.level = *preferred.string();
  } else if (view["unconstrained"].boolean_or(false)) {
    request.mode = TopologyRequest::Mode::unconstrained;
  }
  for (const View layer : view["podsetSliceRequiredTopologyConstraints"].elements()) {
    request.slices.push_back(
        {std::string(layer["topology"].string_or("")), layer["size"].integer_or(0)});
    request.has_layers = true;
  }
  const View level = view["podSetSliceRequiredTopology"];
  const View size = view["podSetSliceSize"];
  if (!request.has_layers && (level.is_string() || size.is_integer())) {
    request.slices.push_back({std::string(level.string_or("")), size.integer_or(0)});
  }
  request.group = view["podSetGroupName"].string_or("");
  request.pod_index_label = view["podIndexLabel"].string_or("");
  request.sub_group_index_label = view["subGroupIndexLabel"].string_or("");
  request.sub_group_count = optional_integer(view["subGroupCount"]);
  return request;
}

Result<GangPodSet> read_pod_set(View view, View reclaimable, const FeatureGates& gates) {
  GangPodSet set{.name = std::string(view["name"].string_or("main")),
                 .count = view["count"].integer_or(1),
                 .requests = {},
                 .terms = {}};
  if (set.count < 0 || set.count > pod_set_count_max) {
    return Error::invalid("must be a count of pods", "spec.podSets.count");
  }
  if (gates.enabled(Gate::partial_admission)) set.min_count = optional_integer(view["minCount"]);
  if (gates.enabled(Gate::reclaimable_pods)) {
    for (const View entry : reclaimable.elements()) {
      if (entry["name"].string_or("") == set.name) set.reclaimable = entry["count"].integer_or(0);
    }
  }
  set.reclaimable = std::clamp<std::int64_t>(set.reclaimable, 0, set.count);
  set.terms = TRY(read_scheduling_terms(view["template"]["spec"]));
  set.topology = read_topology_request(view["topologyRequest"]);
  set.labels = read_labels(objects::labels_of(view["template"]));
  set.neighbours = TRY(read_pod_neighbours(view["template"]["spec"]));
  set.claims = read_claim_names(view["template"]["spec"]);
  return set;
}

void read_conditions(const WorkloadParts& parts, Workload& workload) {
  const WorkloadConditions& conditions = parts.conditions;
  workload.is_finished = conditions.finished.is_true();
  const ConditionParts& reserved = conditions.quota_reserved;
  workload.is_quota_reserved = reserved.is_true() && parts.admission.is_object();
  workload.reserved_at = objects::instant_of(reserved.since);
  workload.is_on_hold = reserved.is_false() && reserved.reason == "OnHold";
  workload.is_admitted = workload.is_quota_reserved && conditions.admitted.is_true();
  if (workload.is_admitted) {
    // Both are mostly written together.
    const View since = conditions.admitted.since;
    workload.admitted_at =
        since == reserved.since ? workload.reserved_at : objects::instant_of(since);
  }
  workload.is_evicted = conditions.evicted.is_true();
  workload.evicted_at = objects::instant_of(conditions.evicted.since).value_or(Instant{});
  workload.was_preempted = conditions.preempted.is_true();
  workload.are_pods_ready = conditions.pods_ready.is_true();
  workload.waits_for_replacement = conditions.waiting_for_replacement.is_true();
  workload.may_requeue = !conditions.requeued.is_false();
}

CheckStatus check_status(std::string_view state) {
  if (state == "Ready") return CheckStatus::ready;
  if (state == "Retry") return CheckStatus::retry;
  if (state == "Rejected") return CheckStatus::rejected;
  return CheckStatus::pending;
}

void read_checks(View checks, Workload& workload) {
  if (checks.empty()) return;
  WorkloadExtras& extras = workload.extras.edit();
  for (const View check : checks.elements()) {
    CheckState& state = extras.checks.emplace_back();
    state.name = check["name"].string_or("");
    state.status = check_status(check["state"].string_or(""));
    if (state.status == CheckStatus::ready) {
      for (const View update : check["podSetUpdates"].elements()) {
        extras.updates.push_back({std::string(update["name"].string_or("")),
                                  read_labels(update["nodeSelector"]),
                                  read_tolerations(update["tolerations"])});
      }
    }
    if (state.status == CheckStatus::retry || state.status == CheckStatus::rejected) {
      workload.has_failed_checks = true;
    }
  }
}

// A gate that only the spec names is closed: a workload can be created gated.
bool has_closed_gate(const WorkloadParts& parts) {
  const View gates = parts.preemption_gates;
  if (gates.empty()) return false;
  const View states = parts.status["preemptionGates"];
  for (const View gate : gates.elements()) {
    std::string_view position = "Closed";
    for (const View state : states.elements()) {
      if (state["name"].string_or("") != gate["name"].string_or("")) continue;
      position = state["position"].string_or("");
    }
    if (position == "Closed") return true;
  }
  return false;
}

void read_owner(const WorkloadParts& parts, Workload& workload) {
  const View owners = parts.owners;
  if (owners.empty()) return;
  View owner = owners[0];
  for (const View each : owners.elements()) {
    if (!each["controller"].boolean_or(false)) continue;
    owner = each;
    break;
  }
  workload.owner_uid = owner["uid"].string_or("");
  workload.is_owned_by_single_pod =
      owners.size() == 1 && owners[0]["kind"].string_or("") == "Pod" &&
      owners[0]["apiVersion"].string_or("") == "v1" &&
      parts.annotations[words::is_group_workload].string_or("") != "true";
}

// What does not parse is no boost: the webhook refuses it, and so did whoever wrote past it.
std::int64_t read_boost(View annotation) {
  const std::string_view text = annotation.string_or("");
  std::int32_t boost = 0;
  const bool has_plus = text.starts_with('+') && !text.starts_with("+-");
  const char* first = text.data() + (has_plus ? 1 : 0);
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), boost);
  return error == std::errc() && end == text.data() + text.size() ? boost : 0;
}

void take_text(std::string_view text, std::string WorkloadExtras::*into, Workload& workload) {
  if (!text.empty()) workload.extras.edit().*into = text;
}

void read_annotations(View annotations, const FeatureGates& gates, Workload& workload) {
  if (annotations.empty()) return;
  const auto text = [&](std::string_view key) { return annotations[key].string_or(""); };
  workload.is_gated =
      gates.enabled(Gate::admission_gated_by) && !text(words::admission_gated_by).empty();
  if (gates.enabled(Gate::priority_boost)) {
    workload.priority_boost = read_boost(annotations[words::priority_boost]);
  }
  if (gates.enabled(Gate::elastic_jobs_via_workload_slices)) {
    workload.is_elastic = text(words::elastic_job) == "true";
    take_text(text(words::slice_replacement_for), &WorkloadExtras::replacement_for, workload);
  }
  if (gates.enabled(Gate::concurrent_admission)) {
    take_text(text(words::allowed_flavors), &WorkloadExtras::allowed_flavors, workload);
  }
}

std::string unsupported_part(View spec) {
  const View sets = spec["podSets"];
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (sets[i]["template"]["spec"]["resourceClaims"].empty()) continue;
    return fmt::format(
        "spec.podSets[{}].template.spec.resourceClaims: dynamic resource allocation is not "
        "supported yet",
        i);
  }
  return {};
}

Instant read_queue_order_time(const WorkloadConditions& conditions, const Workload& workload,
                              const FeatureGates& gates, RequeuingTimestamp timestamp) {
  if (workload.is_evicted) {
    const std::string_view reason = conditions.evicted.reason;
    const bool by_timeout =
        timestamp == RequeuingTimestamp::eviction && reason == "PodsReadyTimeout";
    if (by_timeout || reason == "AdmissionCheck") return workload.evicted_at;
  }
  if (gates.enabled(Gate::priority_sorting_within_cohort)) return workload.created;
  // Without priorities across queues the preemptor has to come before its victim.
  const ConditionParts& preempted = conditions.preempted;
  if (!preempted.is_true() || preempted.reason != "InCohortReclaimWhileBorrowing") {
    return workload.created;
  }
  return objects::instant_of(preempted.since).value_or(Instant{}) + Span::of_milliseconds(1);
}

void take_gang(const Gang& gang, Workload& workload) {
  workload.pod_sets = gang.pod_sets;
  take_text(gang.resources_objection, &WorkloadExtras::resources_objection, workload);
  take_text(gang.unsupported, &WorkloadExtras::unsupported, workload);
  workload.equivalence = gang.equivalence;
}

// Pod sets with what each pod asks for.
Result<Gang> read_pod_sets(View object, const RequestRules& rules, ResourceNames& names,
                           const FeatureGates& gates, const Workload& workload) {
  const View sets = object["spec"]["podSets"];
  const View reclaimable = object["status"]["reclaimablePods"];
  Gang gang{.unsupported = unsupported_part(object["spec"])};
  GangPodSets::List pod_sets;
  std::vector<PodResources> resources;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    GangPodSet set = TRY(read_pod_set(sets[i], reclaimable, gates));
    const std::string path = fmt::format("spec.podSets[{}].template.spec", i);
    resources.push_back(TRY(pod_resources(sets[i]["template"]["spec"], path, rules, names)));
    set.requests = resources.back().requests;
    set.effective_requests = resources.back().effective;
    pod_sets.push_back(std::move(set));
  }
  if (pod_sets.empty()) return Error::invalid("has no pod sets", "spec.podSets");
  gang.pod_sets = GangPodSets(std::move(pod_sets));
  gang.resources_objection = resources_objection(resources);
  if (gates.enabled(Gate::scheduling_equivalence_hashing)) {
    gang.equivalence = equivalence_of(object, workload, gang.pod_sets, resources, names);
  }
  return gang;
}

// The gang, as somebody else had it before or as it is read now.
Result<> read_gang(const objects::Value& object, const WorkloadParts& parts,
                   const RequestRules& rules, ResourceNames& names, const FeatureGates& gates,
                   Workload& workload) {
  // LimitRanges are those of one namespace.
  const bool may_share = rules.library != nullptr && rules.limits == nullptr;
  const GangLibrary::Question question{.pod_sets = parts.pod_sets,
                                       .reclaimable = parts.reclaimable,
                                       .priority = workload.effective_priority(),
                                       .allowed_flavors = workload.extras->allowed_flavors,
                                       .rules_version = rules.version};
  const Gang* known = may_share ? rules.library->find(question) : nullptr;
  if (known != nullptr) {
    take_gang(*known, workload);
    return {};
  }
  Gang gang = TRY(read_pod_sets(object, rules, names, gates, workload));
  take_gang(gang, workload);
  if (may_share) rules.library->keep(object, question, std::move(gang));
  return {};
}

const FeatureGates& gates_of(const RequestRules& rules) {
  static const FeatureGates usual_gates;
  return rules.configuration == nullptr ? usual_gates : rules.configuration->gates;
}

// What few have: nothing is taken up where it is not there.
void read_extras(const WorkloadParts& parts, Workload& workload) {
  if (const auto seconds = optional_integer(parts.execution_seconds_max)) {
    workload.extras.edit().max_execution_seconds = seconds;
  }
  workload.has_closed_preemption_gate = has_closed_gate(parts);
  for (const auto& [key, part] : parts.status.members()) {
    if (key == "requeueState") {
      workload.extras.edit().requeue_at = objects::instant_of(part["requeueAt"]);
    } else if (key == "accumulatedPastExecutionTimeSeconds") {
      workload.extras.edit().past_execution_seconds = part.integer_or(0);
    } else if (key == "unhealthyNodes") {
      for (const View node : part.elements()) {
        workload.extras.edit().unhealthy_nodes.emplace_back(node["name"].string_or(""));
      }
    } else if (key == "admissionChecks") {
      read_checks(part, workload);
    }
  }
}

// All but the gang and the admission that speaks of its pod sets.
void read_standing(const WorkloadParts& parts, const RequestRules& rules, Workload& workload) {
  const FeatureGates& gates = gates_of(rules);
  workload.queue_name = parts.queue_name.string_or("");
  workload.priority = parts.priority.integer_or(0);
  workload.created = objects::instant_of(parts.created).value_or(Instant{});
  read_owner(parts, workload);
  workload.is_active = parts.active.boolean_or(true);
  read_extras(parts, workload);
  read_annotations(parts.annotations, gates, workload);
  read_conditions(parts, workload);
  workload.queue_order_time =
      read_queue_order_time(parts.conditions, workload, gates,
                            rules.configuration == nullptr
                                ? RequeuingTimestamp::eviction
                                : rules.configuration->wait_for_pods_ready.requeuing_timestamp);
}

bool asks_for_the_same(const EarlierReading& earlier, const WorkloadParts& parts,
                       const Workload& now) {
  const Workload& before = earlier.workload;
  return !before.pod_sets.empty() && before.effective_priority() == now.effective_priority() &&
         before.extras->allowed_flavors == now.extras->allowed_flavors &&
         earlier.pod_sets == parts.pod_sets && earlier.reclaimable == parts.reclaimable;
}

void take_gang_over(const Workload& before, Workload& workload) {
  workload.pod_sets = before.pod_sets;
  workload.equivalence = before.equivalence;
  take_text(before.extras->resources_objection, &WorkloadExtras::resources_objection, workload);
  take_text(before.extras->unsupported, &WorkloadExtras::unsupported, workload);
}

}  // namespace

std::string_view job_uid(View workload) {
  return workload["metadata"]["labels"][words::job_uid].string_or("");
}

Result<Workload> read_workload(const objects::Value& object, ResourceNames& names,
                               const RequestRules& rules) {
  const Workload unread;
  Result<Workload> workload(Workload{});
  TRY(read_workload_again(object, parts_of(object), names, rules,
                          {.workload = unread, .pod_sets = {}, .reclaimable = {}}, *workload));
  return workload;
}

Result<> read_workload_again(const objects::Value& object, const WorkloadParts& parts,
                             ResourceNames& names, const RequestRules& rules,
                             const EarlierReading& earlier, Workload& workload) {
  read_standing(parts, rules, workload);
  if (asks_for_the_same(earlier, parts, workload)) {
    take_gang_over(earlier.workload, workload);
  } else {
    TRY(read_gang(object, parts, rules, names, gates_of(rules), workload));
  }
  if (!workload.is_quota_reserved) return {};
  if (shows_admission(parts.admission, *earlier.workload.admission, names)) {
    workload.admission = earlier.workload.admission;
  } else {
    workload.admission = TRY(read_admission(parts.admission, workload.pod_sets, names));
  }
  return {};
}

}  // namespace muster::core
