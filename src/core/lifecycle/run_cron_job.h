// run_cron_job: the life of a batch/v1 CronJob (what kube-controller-manager does): a Job each time
// its schedule is due, no more of them than its policies allow, and a status that says so. Desired
// and observed in, edits out; level-triggered. Embedded only.
//
//   auto step = run_cron_job({.cron_job = cron_job, .jobs = own_jobs, .zone = zone, .now = now});
//
// The name of a Job follows from the minute it is due: made twice, it is refused the second time.
// Making it and saying so in the status are two looks: a Job that carries its scheduled time and is
// not in the status was made by a look whose next one never came, and enters it now.
//
//   due ──► create Job ──► (next look) status.active, lastScheduleTime ──► Job ends ──► leaves
//           status.active, lastSuccessfulTime ──► removed when there are too many of its kind
//
// Assumes: the views are never older than what earlier looks saw or wrote.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/time_zone.h"
#include "core/edit.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

inline constexpr objects::Resource cron_jobs{"batch", "v1", "cronjobs", "CronJob"};

struct CronJobObserved {
  objects::Value cron_job;
  std::span<const objects::Value> jobs = {};  // those that it controls
  const TimeZone* zone = nullptr;             // spec.timeZone, else UTC; null: nobody knows it
  Instant now = {};

  // When its schedule was seen to change: what the new one says of the time before is not owed.
  std::optional<Instant> rescheduled = {};

  // Whether its namespace has a job of that name, whoever controls it. Empty: it has none.
  std::function<bool(const std::string&)> is_taken = {};
};

struct CronJobStep {
  std::vector<Edit> edits;
  std::optional<Instant> look_again = {};
};

CronJobStep run_cron_job(const CronJobObserved& observed);

}  // namespace muster::core
