// Cron schedules and time zones of CronJobs: only whether they can be read, and what the reader
// that Kubernetes uses says of those that cannot.
//
//   cron_refusal("61 * * * *")    "end of range (61) above maximum (59): 61"
//   cron_refusal("@hourly")       nothing
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::objects {

std::optional<std::string> cron_refusal(std::string_view schedule);

bool is_time_zone(std::string_view name);

}  // namespace muster::objects
