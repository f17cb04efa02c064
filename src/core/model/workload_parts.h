// The parts of a Workload that decisions look at, found in one walk through it. Most of what an
// event costs is finding them: an object lies in cold memory, and asking for each by its name goes
// through the same members again and again.
//
//   const WorkloadParts parts = parts_of(event.object);
//   if (parts.conditions.finished.is_true()) …
//
// Assumes: of two conditions with the same type the first counts. The views live as long as the
// object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "objects/value.h"

namespace muster::core {

struct ConditionParts {
  objects::View view = {};  // absent: there is no such condition
  std::string_view status = {};
  std::string_view reason = {};
  std::string_view message = {};
  objects::View since = {};  // lastTransitionTime

  bool is_true() const { return status == "True"; }
  bool is_false() const { return status == "False"; }
};

struct WorkloadConditions {
  ConditionParts finished = {};
  ConditionParts quota_reserved = {};
  ConditionParts admitted = {};
  ConditionParts evicted = {};
  ConditionParts preempted = {};
  ConditionParts pods_ready = {};
  ConditionParts requeued = {};
  ConditionParts waiting_for_replacement = {};
};

struct WorkloadParts {
  // Of the metadata.
  std::string_view name_space = {};
  std::string_view name = {};
  std::string_view uid = {};
  objects::View created = {};
  objects::View owners = {};
  objects::View annotations = {};

  objects::View spec = {};
  objects::View queue_name = {};
  objects::View priority = {};
  objects::View active = {};
  objects::View pod_sets = {};
  objects::View preemption_gates = {};
  objects::View execution_seconds_max = {};

  objects::View status = {};
  objects::View admission = {};
  objects::View reclaimable = {};
  WorkloadConditions conditions = {};
};

WorkloadParts parts_of(objects::View workload);
WorkloadConditions conditions_of(objects::View status);

// Of the metadata alone.
struct WorkloadNames {
  std::string_view name_space = {};
  std::string_view name = {};
};
WorkloadNames names_of(objects::View workload);

}  // namespace muster::core
