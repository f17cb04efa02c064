// The back-off of each index of an Indexed Job with backoffLimitPerIndex. How often an index has
// failed stands on its newest pod, in annotations; the pod that failed last therefore keeps its
// finalizer until its replacement, which carries the count on, is there.
//
//   const IndexSet failed = failed_indexes(spec, pods, known);
//   const IndexBackoff backoff(spec, pods, settled);      // settled: completed and failed indexes
//   if (backoff.holds(pod)) …                             // not let go yet
//   maker.make(index, names, backoff.failures_of_next(index));
//
// Assumes: what annotations say may be anybody's words: what is no count is 0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "base/instant.h"
#include "core/index_set.h"
#include "core/lifecycle/job_spec.h"

namespace muster::core {

// Failures of an index before the pod that carries them.
struct IndexFailures {
  std::int64_t counted = 0;
  std::int64_t ignored = 0;  // by the pod failure policy

  std::int64_t all() const { return counted + ignored; }
};

// Those that are known, and those that failed since.
IndexSet failed_indexes(const JobSpec& spec, std::span<const JobPod> pods, IndexSet known);

class IndexBackoff {
 public:
  // A job without a limit per index: nobody is held, nothing waits.
  IndexBackoff(const JobSpec& spec, std::span<const JobPod> pods, const IndexSet& settled);

  bool holds(const JobPod& pod) const;

  // Until when the index has to wait for its next pod; nothing: it need not.
  std::optional<Instant> wait_until(std::int64_t index, Instant now) const;

  // What its next pod carries; nothing in a job without a limit per index.
  std::optional<IndexFailures> failures_of_next(std::int64_t index) const;

 private:
  const JobSpec& spec_;
  std::map<std::int64_t, const JobPod*> last_failed_;  // of indexes that wait for a pod
};

}  // namespace muster::core
