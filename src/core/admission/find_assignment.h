// find_assignment(): how a head could be admitted now: with which flavors, after whose eviction,
// and with how many pods where it may start with fewer. What it gets when nothing works is the
// answer for all its pods, which says why.
//
//   Nomination nomination = find_assignment(tables, trial, policy,
//                                           {.workload = head, .queue = queue, .last = &tried});
//   switch (nomination.assignment->mode) …
//
// Assumes: nothing is taken, evicted or written; the trial is as before when the call returns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/admission/assignment.h"
#include "core/model/trial.h"

namespace muster::core {

Nomination find_assignment(Tables& tables, Trial& trial, const Policy& policy,
                           const AssignmentRequest& request);

}  // namespace muster::core
