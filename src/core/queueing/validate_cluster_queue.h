// What Kueue's webhook asks of a ClusterQueue beyond its schema and expressions.
//
//   check_cluster_queue(object, old_object, gates, report);
//
// Assumes: v1beta2, defaults filled, decodes as Go's struct. The old object is absent on create.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/feature_gates.h"
#include "core/queueing/webhook_report.h"
#include "objects/value.h"

namespace muster::core {

void check_cluster_queue(const objects::Value& queue, const objects::Value& old_queue,
                         const FeatureGates& gates, WebhookReport& report);

}  // namespace muster::core
