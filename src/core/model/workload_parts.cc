// SPDX-License-Identifier: Apache-2.0
#include "core/model/workload_parts.h"

#include <cstddef>
#include <cstring>

namespace muster::core {

using objects::View;

namespace {

// Compared in words, because the size is known when this is compiled.
template <std::size_t Size>
bool is(std::string_view key, const char (&name)[Size]) {
  return key.size() == Size - 1 && std::memcmp(key.data(), name, Size - 1) == 0;
}

// Of members with the same name the first counts.
void take(View& into, View member) {
  if (into.is_absent()) into = member;
}

struct ConditionMembers {
  View type = {};
  View status = {};
  View reason = {};
  View message = {};
  View since = {};
};

ConditionMembers members_of(View condition) {
  ConditionMembers found;
  for (const auto& [key, member] : condition.members()) {
    if (is(key, "lastTransitionTime")) {
      take(found.since, member);
    } else if (is(key, "message")) {
      take(found.message, member);
    } else if (is(key, "reason")) {
      take(found.reason, member);
    } else if (is(key, "status")) {
      take(found.status, member);
    } else if (is(key, "type")) {
      take(found.type, member);
    }
  }
  return found;
}

// Null: nobody asks for those.
ConditionParts* place_of(std::string_view type, WorkloadConditions& found) {
  if (is(type, "QuotaReserved")) return &found.quota_reserved;
  if (is(type, "Admitted")) return &found.admitted;
  if (is(type, "Finished")) return &found.finished;
  if (is(type, "Evicted")) return &found.evicted;
  if (is(type, "Preempted")) return &found.preempted;
  if (is(type, "PodsReady")) return &found.pods_ready;
  if (is(type, "Requeued")) return &found.requeued;
  if (is(type, "WaitingForReplacementPods")) return &found.waiting_for_replacement;
  return nullptr;
}

void take_conditions(View list, WorkloadConditions& found) {
  for (const View condition : list.elements()) {
    const ConditionMembers members = members_of(condition);
    ConditionParts* const place = place_of(members.type.string_or(""), found);
    if (place == nullptr || place->view) continue;
    *place = {.view = condition,
              .status = members.status.string_or(""),
              .reason = members.reason.string_or(""),
              .message = members.message.string_or(""),
              .since = members.since};
  }
}

void take_metadata(View metadata, WorkloadParts& parts) {
  View name_space;
  View name;
  View uid;
  for (const auto& [key, member] : metadata.members()) {
    if (is(key, "name")) {
      take(name, member);
    } else if (is(key, "namespace")) {
      take(name_space, member);
    } else if (is(key, "uid")) {
      take(uid, member);
    } else if (is(key, "creationTimestamp")) {
      take(parts.created, member);
    } else if (is(key, "ownerReferences")) {
      take(parts.owners, member);
    } else if (is(key, "annotations")) {
      take(parts.annotations, member);
    }
  }
  parts.name_space = name_space.string_or("");
  parts.name = name.string_or("");
  parts.uid = uid.string_or("");
}

void take_spec(WorkloadParts& parts) {
  for (const auto& [key, member] : parts.spec.members()) {
    if (is(key, "queueName")) {
      take(parts.queue_name, member);
    } else if (is(key, "priority")) {
      take(parts.priority, member);
    } else if (is(key, "active")) {
      take(parts.active, member);
    } else if (is(key, "podSets")) {
      take(parts.pod_sets, member);
    } else if (is(key, "preemptionGates")) {
      take(parts.preemption_gates, member);
    } else if (is(key, "maximumExecutionTimeSeconds")) {
      take(parts.execution_seconds_max, member);
    }
  }
}

void take_status(WorkloadParts& parts) {
  View conditions;
  for (const auto& [key, member] : parts.status.members()) {
    if (is(key, "conditions")) {
      take(conditions, member);
    } else if (is(key, "admission")) {
      take(parts.admission, member);
    } else if (is(key, "reclaimablePods")) {
      take(parts.reclaimable, member);
    }
  }
  take_conditions(conditions, parts.conditions);
}

}  // namespace

WorkloadConditions conditions_of(View status) {
  WorkloadConditions found;
  take_conditions(status["conditions"], found);
  return found;
}

WorkloadNames names_of(View workload) {
  View metadata;
  for (const auto& [key, member] : workload.members()) {
    if (is(key, "metadata")) take(metadata, member);
  }
  View name_space;
  View name;
  for (const auto& [key, member] : metadata.members()) {
    if (is(key, "namespace")) take(name_space, member);
    if (is(key, "name")) take(name, member);
  }
  return {.name_space = name_space.string_or(""), .name = name.string_or("")};
}

WorkloadParts parts_of(View workload) {
  WorkloadParts parts;
  View metadata;
  for (const auto& [key, member] : workload.members()) {
    if (is(key, "metadata")) {
      take(metadata, member);
    } else if (is(key, "spec")) {
      take(parts.spec, member);
    } else if (is(key, "status")) {
      take(parts.status, member);
    }
  }
  take_metadata(metadata, parts);
  take_spec(parts);
  take_status(parts);
  return parts;
}

}  // namespace muster::core
