// The status of a Workload as decisions write it: the admission with its conditions, an eviction, a
// wait; and that of a pod that no node takes. The texts are Kueue's and kube-scheduler's.
//
//   Value next = with_admission(workload, admission, true, now);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/instant.h"
#include "core/plan/because.h"
#include "objects/value.h"

namespace muster::core {

// The whole object with its quota reserved; Admitted too, where no check is left. Nodes that had
// failed are replaced with it.
objects::Value with_admission(const objects::Value& workload, const objects::Value& admission,
                              bool is_admitted, Instant now);

// The whole object, evicted: its reservation stands until the job has stopped. Its checks begin
// anew, its preemption gates close.
objects::Value with_eviction(const objects::Value& workload, std::string_view reason,
                             const std::string& message, Instant now);

// The same, for another workload; `reason` is why that one may.
objects::Value with_preemption(const objects::Value& workload, std::string_view reason,
                               const std::string& message, Instant now);

objects::Value with_finished(const objects::Value& workload, std::string_view reason,
                             std::string message, Instant now);

// The whole object with QuotaReserved=False; the same object when it already says so, but for the
// amounts. Granular: the reason says what is missing, instead of Pending.
objects::Value with_wait(const objects::Value& workload, const Because& because, bool is_granular,
                         Instant now);

// The pod with PodScheduled=False; the same object when it already says so.
objects::Value with_unschedulable(const objects::Value& pod, const Because& because, Instant now);

// The pod as its node leaves it that cannot take it.
objects::Value with_refusal(const objects::Value& pod, std::string_view reason,
                            std::string_view message, Instant now);

// Cut to the bytes that a condition or an event may have, between letters.
std::string cut_message(std::string message, std::size_t bytes_max);

}  // namespace muster::core
