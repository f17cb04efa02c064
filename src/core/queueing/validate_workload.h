// What Kueue's webhook asks of a Workload beyond its schema and expressions: the spec at any time,
// and the status as controllers write it. What an update may not change is asked in
// core/queueing/validate_workload_update.h.
//
//   check_workload(object, old_object, gates, report);
//
// Assumes: v1beta2, defaults filled, decodes as Go's struct. The old object is absent on create.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/feature_gates.h"
#include "core/queueing/webhook_report.h"
#include "objects/value.h"

namespace muster::core {

void check_workload(const objects::Value& workload, const objects::Value& old_workload,
                    const FeatureGates& gates, WebhookReport& report);

// The condition QuotaReserved is True.
bool reserves_quota(objects::View workload);

// Marked as a slice of an elastic job, where the gate allows them.
bool is_elastic(objects::View workload, const FeatureGates& gates);

}  // namespace muster::core
