// JobPod: one pod of a job, as its controller sees it. Read once, because a step asks for the same
// few things of every pod many times.
//
//   for (const JobPod& pod : read_pods(observed.pods)) if (pod.is_active()) …
//
// Assumes: a pod whose tracking finalizer is there has not been counted yet, or stands in
// status.uncountedTerminatedPods; one without it has been counted, or must not be.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "objects/value.h"

namespace muster::core {

struct JobPod {
  enum class Phase : std::uint8_t { pending, unknown, running, succeeded, failed };

  objects::Value object;
  std::string_view uid = {};
  std::string_view name = {};
  Phase phase = Phase::pending;
  std::optional<std::int64_t> index = {};  // of an Indexed Job
  bool is_tracked = false;                 // has the finalizer
  bool is_deleted = false;                 // has a deletion timestamp
  bool is_ready = false;
  bool is_bound = false;  // has a node

  // One that was deleted before it had a node has ended without anybody there to say so.
  bool never_ran() const { return is_deleted && !is_bound && phase == Phase::pending; }
  bool has_ended() const {
    return phase == Phase::succeeded || phase == Phase::failed || never_ran();
  }
  bool is_active() const { return !has_ended() && !is_deleted; }
  bool is_terminating() const { return !has_ended() && is_deleted; }
};

std::vector<JobPod> read_pods(std::span<const objects::Value> pods);

// When the pod ended, or the nearest thing to it that the object says.
Instant finish_time(const JobPod& pod);

// How often its containers were restarted.
std::int64_t restarts_of(const JobPod& pod);

// Which pods to take away when there are too many, of those that are active: first those of an
// Indexed Job without a place (no index, one beyond completions, one that another pod has), then
// those that have come least far, at least `count` in all where there are so many.
std::vector<const JobPod*> surplus_pods(std::span<const JobPod> pods,
                                        std::optional<std::int64_t> completions_if_indexed,
                                        std::int64_t count);

// The end of the wait after so many failures in a row, the last of which was then: 10 s, doubled
// with each failure, at most 10 min. Nothing: nobody has to wait any more, or the failure lies
// further in the future than the wait is long, because the clock was set back.
std::optional<Instant> back_off_end(std::int64_t failures, Instant last_failure, Instant now);

// How long new pods of a job must wait, by its failures since the last success. Nothing: they need
// not. It follows from the pods alone: one that was removed takes its failure with it.
std::optional<Instant> back_off_until(std::span<const JobPod> pods, Instant now);

}  // namespace muster::core
