// What a preemption throws away: the time since the workload's last checkpoint, or since its start
// where it never wrote one, times the devices (else the pods) that worked through it. Muster's own;
// a Policy says what it counts for.
//
//   metadata.annotations["muster.dev/last-checkpoint"] = "2025-01-01T10:00:00Z"
//   preemption_cost(tables, id)      // 64 GPUs, ten minutes ago: 38400 device seconds
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/model/ids.h"

namespace muster::core {

struct Tables;

inline constexpr std::string_view last_checkpoint_annotation = "muster.dev/last-checkpoint";

// In seconds of a device, at Tables::now. Nothing for a workload that is being evicted already: it
// has lost its work.
std::int64_t preemption_cost(const Tables& tables, WorkloadId id);

}  // namespace muster::core
