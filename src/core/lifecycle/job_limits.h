// The limits that a Job's spec sets to its life: failures, time, and how long it is kept.
//
//   if (exceeds_back_off_limit(spec, pods, failed)) …
//   if (auto deadline = deadline_of(spec, status.start_time)) …
//
// Assumes: sums and times of absurd numbers saturate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/instant.h"
#include "core/lifecycle/job_pods.h"
#include "core/lifecycle/job_spec.h"
#include "objects/value.h"

namespace muster::core {

// By so many failed pods; of pods that restart their containers themselves, also by restarts.
bool exceeds_back_off_limit(const JobSpec& spec, std::span<const JobPod> pods, std::int64_t failed);

// Nothing: it has none, or does not run.
std::optional<Instant> deadline_of(const JobSpec& spec, std::optional<Instant> started);

// When a finished job is to be removed; nothing: never.
std::optional<Instant> expiry_of(objects::View job);

}  // namespace muster::core
