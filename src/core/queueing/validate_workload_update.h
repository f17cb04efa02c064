// What an update of a Workload may not change: its pod sets while quota is reserved, what was
// admitted, what a ready check asked for, reclaimed pods that come back, the cluster's name, and
// gates that were not there from the start.
//
//   check_workload_update(object, old_object, gates, report);   // after check_workload()
//
// Assumes: as core/queueing/validate_workload.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/feature_gates.h"
#include "core/queueing/webhook_report.h"
#include "objects/value.h"

namespace muster::core {

void check_workload_update(const objects::Value& workload, const objects::Value& old_workload,
                           const FeatureGates& gates, WebhookReport& report);

}  // namespace muster::core
