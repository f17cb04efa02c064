// Muster's own Policy object (muster.dev/v1alpha1): what is decided beyond Kueue's behaviour.
//
//   apiVersion: muster.dev/v1alpha1
//   kind: Policy
//   spec: {placement: pinned, backfill: reserve, preemptionCost: ties, resourceQuotas: respected}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "core/plan/policy.h"
#include "objects/value.h"

namespace muster::cli {

// Absent: exactly as Kueue. bad_request with the field that is wrong.
Result<core::Policy> read_policy(const objects::Value& object);

}  // namespace muster::cli
