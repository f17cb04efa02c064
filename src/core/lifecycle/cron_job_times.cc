// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/cron_job_times.h"

#include <algorithm>

#include "base/checked.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::CronSchedule;
using objects::View;

namespace {

constexpr std::int64_t missed_few_max = 100;
constexpr std::int64_t second = 1'000'000'000;

Instant owed_since(View cron_job, const CronJobClock& clock) {
  const auto created = objects::instant_of(cron_job["metadata"]["creationTimestamp"]);
  const auto last = objects::instant_of(cron_job["status"]["lastScheduleTime"]);
  Instant since = last ? *last : created.value_or(clock.now);
  if (const auto deadline = cron_job["spec"]["startingDeadlineSeconds"].integer()) {
    since = std::max(since, Instant{saturating_subtract(clock.now.nanoseconds,
                                                        saturating_multiply(*deadline, second))});
  }
  return clock.rescheduled ? std::max(since, *clock.rescheduled) : since;
}

}  // namespace

CronJobTimes cron_job_times(View cron_job, const CronSchedule& schedule, const TimeZone& zone,
                            const CronJobClock& clock) {
  CronJobTimes times;
  const Instant since = owed_since(cron_job, clock);
  const auto first = schedule.next(since, zone);
  if (!first) {
    times.is_never_due = true;
    return times;
  }
  if (clock.now < *first) {
    times.next = first;
    return times;
  }
  const auto second_one = schedule.next(*first, zone);
  if (!second_one || clock.now < *second_one) {
    times.due = first;
    times.next = second_one;
    return times;
  }
  // As many as fit between the first and now, if all were as far apart as the first two.
  const std::int64_t apart = (*second_one - *first).nanoseconds;
  times.missed_many = (clock.now - *first).nanoseconds / apart + 1 > missed_few_max;
  times.due = schedule.last(since, clock.now, zone);
  times.next = schedule.next(times.due.value_or(clock.now), zone);
  return times;
}

}  // namespace muster::core
