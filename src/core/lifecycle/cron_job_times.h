// When a CronJob is due: which of the times of its schedule since its last one is owed, how many
// were missed, and when the next one comes.
//
//   const CronJobTimes times = cron_job_times(cron_job, schedule, zone, {.now = now});
//
// Assumes: the last time is status.lastScheduleTime, or the creation; times further back than
// startingDeadlineSeconds are not owed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/instant.h"
#include "base/time_zone.h"
#include "objects/cron_schedule.h"
#include "objects/value.h"

namespace muster::core {

struct CronJobTimes {
  bool is_never_due = false;        // "0 0 31 2 *"
  std::optional<Instant> due = {};  // the latest that is owed
  bool missed_many = false;         // more than a hundred
  std::optional<Instant> next = {};
};

struct CronJobClock {
  Instant now = {};
  std::optional<Instant> rescheduled = {};  // see run_cron_job.h
};

CronJobTimes cron_job_times(objects::View cron_job, const objects::CronSchedule& schedule,
                            const TimeZone& zone, const CronJobClock& clock);

}  // namespace muster::core
