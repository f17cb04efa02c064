// Whose pods are a job's own: those that its selector matches. A pod that matches and has no
// controller is adopted; one that the job controls and that no longer matches is let go, with its
// owner reference and its finalizer, and is counted no more.
//
//   for (Edit& edit : claim_pods(job, pods)) …
//
// Assumes: the pods are those that the job controls, or that have no controller. A job without a
// selector has none to let go.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/edit.h"
#include "core/lifecycle/job_pods.h"

namespace muster::core {

std::vector<Edit> claim_pods(const objects::Value& job, std::span<const JobPod> pods);

}  // namespace muster::core
