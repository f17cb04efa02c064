// What an admission writes into Workload.status.admission: flavors, usage, counts, and where the
// pods go, in the compressed form of v1beta2.
//
//   Value admission = admission_value(tables, decision);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/tables.h"
#include "core/plan/decision.h"
#include "objects/value.h"

namespace muster::core {

objects::Value admission_value(const Tables& tables, const Decision& decision);

// The same as the state keeps it.
Admission admission_of(const Tables& tables, const Decision& decision);

}  // namespace muster::core
