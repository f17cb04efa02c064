// The second pass: workloads that hold a reservation and are looked at by a cycle again, because
// their topology was put off until their checks were ready, or because a node of it has failed.
//
//   if (needs_second_pass(workload)) …      // a head of the next cycle, beside the queues' heads
//   now + second_pass_delay(3)              // when it is tried again after the third failure
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/instant.h"
#include "core/model/read_workload.h"

namespace muster::core {

bool needs_second_pass(const Workload& workload);

// Admitted to a node that has failed since (status.unhealthyNodes).
bool has_unhealthy_place(const Workload& workload);

// A topology is still to be assigned.
bool has_pending_topology(const Workload& workload);

// 1 s, doubled with every try, at most 30 s.
Span second_pass_delay(int tries);

}  // namespace muster::core
