// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/cron.h"

#include "objects/cron_schedule.h"

namespace muster::objects {

std::optional<std::string> cron_refusal(std::string_view schedule) {
  const auto read = CronSchedule::parse(schedule);
  if (read) return std::nullopt;
  return read.error().message;
}

}  // namespace muster::objects
