// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/job_limits.h"

#include <string_view>

#include "base/checked.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::View;

namespace {

Instant later(Instant time, std::int64_t seconds) {
  return {saturating_add(time.nanoseconds, saturating_multiply(seconds, 1'000'000'000))};
}

}  // namespace

bool exceeds_back_off_limit(const JobSpec& spec, std::span<const JobPod> pods,
                            std::int64_t failed) {
  const std::int64_t limit = spec.view["backoffLimit"].integer_or(6);
  if (failed > limit) return true;
  if (spec.view["template"]["spec"]["restartPolicy"].string_or("") != "OnFailure") return false;
  std::int64_t restarts = 0;
  for (const JobPod& pod : pods) {
    const bool counts = pod.phase == JobPod::Phase::running || pod.phase == JobPod::Phase::pending;
    if (counts) restarts = saturating_add(restarts, restarts_of(pod));
  }
  return limit == 0 ? restarts > 0 : restarts >= limit;
}

std::optional<Instant> deadline_of(const JobSpec& spec, std::optional<Instant> started) {
  const auto seconds = spec.view["activeDeadlineSeconds"].integer();
  if (!seconds || !started || spec.is_suspended) return std::nullopt;
  return later(*started, *seconds);
}

std::optional<Instant> expiry_of(View job) {
  const auto seconds = job["spec"]["ttlSecondsAfterFinished"].integer();
  if (!seconds) return std::nullopt;
  for (const std::string_view type : {"Complete", "Failed"}) {
    const View end = objects::condition(job, type);
    const auto since = objects::instant_of(end["lastTransitionTime"]);
    if (objects::is_true(end) && since) return later(*since, *seconds);
  }
  return std::nullopt;
}

}  // namespace muster::core
