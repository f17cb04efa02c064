// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/job_spec.h"

namespace muster::core {

using objects::View;

JobSpec::JobSpec(View job)
    : view(job["spec"]),
      is_indexed(view["completionMode"].string_or("") == "Indexed"),
      is_suspended(view["suspend"].boolean_or(false)),
      replaces_only_failed(view["podReplacementPolicy"].string_or("") == "Failed"),
      parallelism(view["parallelism"].integer_or(1)),
      completions(view["completions"].integer()) {
  if (is_indexed) back_off_limit_per_index = view["backoffLimitPerIndex"].integer();
}

bool JobSpec::has_failed(const JobPod& pod) const {
  if (pod.phase == JobPod::Phase::failed || pod.never_ran()) return true;
  return !replaces_only_failed && pod.is_terminating();
}

bool JobSpec::has_place(const JobPod& pod) const {
  return !is_indexed || (pod.index && *pod.index < completions.value_or(0));
}

}  // namespace muster::core
