// run_job: the operator's part of a batch/v1 Job (what kube-controller-manager does): its pods
// exist, are counted exactly once when they end, and its status says so. Desired and observed in,
// edits out; level-triggered. Embedded only: on Kubernetes the cluster's own controller does this.
//
//   auto step = run_job({.job = job, .pods = pods_of_job, .now = now});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/instant.h"
#include "core/edit.h"
#include "objects/value.h"

namespace muster::core {

struct JobObserved {
  objects::Value job;
  std::span<const objects::Value> pods;  // those that it controls or that match and have no owner
  Instant now;
};

struct JobStep {
  std::vector<Edit> edits;
  std::optional<Instant> look_again = {};  // a deadline, a back-off
};

JobStep run_job(const JobObserved& observed);

}  // namespace muster::core
