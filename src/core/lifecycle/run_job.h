// run_job: the operator's part of a batch/v1 Job (what kube-controller-manager does): its pods
// exist, are counted exactly once when they end, and its status says so. Desired and observed in,
// edits out; level-triggered. Embedded only: on Kubernetes the cluster's own controller does this.
//
//   auto step = run_job({.job = job, .pods = pods_of_job, .now = now});
//
// A finished pod is counted in three writes, so that any of them may be lost: its uid goes into
// status.uncountedTerminatedPods; its finalizer goes; its uid leaves the list as the counter rises.
//
// Assumes: the views are never older than what earlier steps for this job saw or wrote, also
// across a restart, and a step begins when the edits of the one before were answered. So that one
// mistake there does not run a rank twice, pods have names that follow from the job, its start and
// their index: the same decision made again asks for a name that is taken, and is refused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/instant.h"
#include "core/edit.h"
#include "objects/value.h"

namespace muster::core {

struct JobObserved {
  objects::Value job;                    // absent: it is gone, and its pods are let go
  std::span<const objects::Value> pods;  // those that it controls or that match and have no owner
  Instant now = {};

  // Whether its namespace has a pod of that name, whoever owns it: one that the job has let go
  // keeps its name. Empty: it has none.
  std::function<bool(const std::string&)> is_taken = {};

  // The pods that it asked for last were refused: it asks for none before then.
  std::optional<Instant> refused_until = {};
};

struct JobStep {
  std::vector<Edit> edits;
  std::optional<Instant> look_again = {};  // a deadline, a back-off, the end of its retention
};

JobStep run_job(const JobObserved& observed);

}  // namespace muster::core
