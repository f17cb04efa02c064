// The podFailurePolicy of a Job: what the failure of a pod means, by the exit codes of its
// containers and by its conditions. The first rule that matches decides; a failure that no rule
// speaks of counts towards the back-off limit.
//
//   const FailureMatch match = match_failure_policy(job["spec"]["podFailurePolicy"], pod);
//   if (match.action == FailureAction::fail_job) fail(match.message);
//
// Assumes: the pod has failed. A container that has not ended has no exit code, and one that ended
// well matches nothing, whatever NotIn says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "objects/value.h"

namespace muster::core {

enum class FailureAction : std::uint8_t { count, ignore, fail_index, fail_job };

struct FailureMatch {
  FailureAction action = FailureAction::count;
  std::string message = {};  // of fail_job: which pod, why, by which rule

  bool counts() const { return action != FailureAction::ignore; }
};

FailureMatch match_failure_policy(objects::View policy, objects::View pod);

}  // namespace muster::core
