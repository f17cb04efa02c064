// The conditions of a Workload that decisions look at, found in one walk through them.
//
//   const WorkloadConditions conditions = conditions_of(object["status"]);
//   if (is_true(conditions.finished)) …
//
// Assumes: of two with the same type the first counts. The views live as long as the object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "objects/value.h"

namespace muster::core {

struct WorkloadConditions {
  objects::View finished = {};
  objects::View quota_reserved = {};
  objects::View admitted = {};
  objects::View evicted = {};
  objects::View preempted = {};
  objects::View pods_ready = {};
  objects::View requeued = {};
  objects::View waiting_for_replacement = {};
};

WorkloadConditions conditions_of(objects::View status);

}  // namespace muster::core
