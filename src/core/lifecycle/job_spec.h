// JobSpec: what a Job's spec asks for, read once, and how it looks at its pods: which count as
// failed, and which have a place in it at all.
//
//   const JobSpec spec(job);
//   if (spec.has_failed(pod) && spec.has_place(pod)) …
//
// Assumes: the job was admitted by its schema, and outlives this.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/lifecycle/job_pods.h"
#include "objects/value.h"

namespace muster::core {

struct JobSpec {
  explicit JobSpec(objects::View job);

  objects::View view;
  bool is_indexed = false;
  bool is_suspended = false;
  bool replaces_only_failed = false;  // podReplacementPolicy: Failed
  std::int64_t parallelism = 1;
  std::optional<std::int64_t> completions = {};
  std::optional<std::int64_t> back_off_limit_per_index = {};

  // A pod that was deleted never gets to say that it failed.
  bool has_failed(const JobPod& pod) const;

  // Pods of an Indexed Job without an index, or with one beyond completions, have none.
  bool has_place(const JobPod& pod) const;
};

}  // namespace muster::core
