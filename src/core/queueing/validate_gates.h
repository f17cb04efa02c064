// The annotation that holds a workload back until every gate it lists is gone: a list of
// domain-prefixed paths, from which gates are only ever removed.
//
//   check_admission_gates(annotation, report);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/queueing/webhook_report.h"
#include "objects/value.h"

namespace muster::core {

void check_admission_gates(objects::View annotation, WebhookReport& report);

void check_admission_gates_update(objects::View annotation, objects::View old_annotation,
                                  WebhookReport& report);

}  // namespace muster::core
