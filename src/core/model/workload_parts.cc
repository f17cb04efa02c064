// SPDX-License-Identifier: Apache-2.0
#include "core/model/workload_parts.h"

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "objects/same_text.h"

namespace muster::core {

using objects::View;

namespace {

struct Wanted {
  std::string_view key;
  View* into;
};

// Of members with the same name the first counts.
void pick(View object, std::span<const Wanted> wanted) {
  for (const auto& [key, member] : object.members()) {
    for (const Wanted& each : wanted) {
      if (!objects::is_same_text(each.key, key)) continue;
      if (each.into->is_absent()) *each.into = member;
      break;
    }
  }
}

using Member = ConditionParts WorkloadConditions::*;

constexpr std::array<std::pair<std::string_view, Member>, 8> types{{
    {"QuotaReserved", &WorkloadConditions::quota_reserved},
    {"Admitted", &WorkloadConditions::admitted},
    {"Finished", &WorkloadConditions::finished},
    {"Evicted", &WorkloadConditions::evicted},
    {"Preempted", &WorkloadConditions::preempted},
    {"PodsReady", &WorkloadConditions::pods_ready},
    {"Requeued", &WorkloadConditions::requeued},
    {"WaitingForReplacementPods", &WorkloadConditions::waiting_for_replacement},
}};

void take_condition(View condition, WorkloadConditions& found) {
  View type;
  View status;
  View reason;
  View message;
  View since;
  const std::array<Wanted, 5> wanted{{{"lastTransitionTime", &since},
                                      {"message", &message},
                                      {"reason", &reason},
                                      {"status", &status},
                                      {"type", &type}}};
  pick(condition, wanted);
  const std::string_view name = type.string_or("");
  for (const auto& [known, member] : types) {
    if (!objects::is_same_text(known, name)) continue;
    if (!(found.*member).view) {
      found.*member = {.view = condition,
                       .status = status.string_or(""),
                       .reason = reason.string_or(""),
                       .message = message.string_or(""),
                       .since = since};
    }
    return;
  }
}

void take_conditions(View list, WorkloadConditions& found) {
  for (const View condition : list.elements()) take_condition(condition, found);
}

void take_metadata(View metadata, WorkloadParts& parts) {
  View name_space;
  View name;
  View uid;
  const std::array<Wanted, 6> wanted{{{"name", &name},
                                      {"namespace", &name_space},
                                      {"uid", &uid},
                                      {"creationTimestamp", &parts.created},
                                      {"ownerReferences", &parts.owners},
                                      {"annotations", &parts.annotations}}};
  pick(metadata, wanted);
  parts.name_space = name_space.string_or("");
  parts.name = name.string_or("");
  parts.uid = uid.string_or("");
}

}  // namespace

WorkloadConditions conditions_of(View status) {
  WorkloadConditions found;
  take_conditions(status["conditions"], found);
  return found;
}

WorkloadParts parts_of(View workload) {
  WorkloadParts parts;
  View metadata;
  const std::array<Wanted, 3> wanted{
      {{"metadata", &metadata}, {"spec", &parts.spec}, {"status", &parts.status}}};
  pick(workload, wanted);
  take_metadata(metadata, parts);
  const std::array<Wanted, 6> of_spec{
      {{"queueName", &parts.queue_name},
       {"priority", &parts.priority},
       {"active", &parts.active},
       {"podSets", &parts.pod_sets},
       {"preemptionGates", &parts.preemption_gates},
       {"maximumExecutionTimeSeconds", &parts.execution_seconds_max}}};
  pick(parts.spec, of_spec);
  View conditions;
  const std::array<Wanted, 3> of_status{{{"conditions", &conditions},
                                         {"admission", &parts.admission},
                                         {"reclaimablePods", &parts.reclaimable}}};
  pick(parts.status, of_status);
  take_conditions(conditions, parts.conditions);
  return parts;
}

}  // namespace muster::core
