// SPDX-License-Identifier: Apache-2.0
#include "server/response_stamp.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/timestamp.h"
#include "base/uid.h"
#include "server/limits.h"

namespace muster::server {

namespace {

constexpr std::array<std::string_view, 7> weekdays = {"Thu", "Fri", "Sat", "Sun",
                                                      "Mon", "Tue", "Wed"};
constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::int64_t day_seconds = 86'400;

}  // namespace

std::string http_date(Instant instant) {
  const Timestamp time = Timestamp::of(instant);
  // Thousands of answers have the same one.
  thread_local std::pair<std::int64_t, std::string> last;
  if (last.first == time.seconds() && !last.second.empty()) return last.second;
  const std::string text = format_time(time);  // 2026-11-15T21:04:00Z
  const std::string_view view = text;
  std::size_t month = 1;
  std::from_chars(text.data() + 5, text.data() + 7, month);
  // The epoch was a Thursday; days before it count backwards.
  const std::int64_t seconds = time.seconds();
  const std::int64_t day = seconds / day_seconds - (seconds % day_seconds < 0 ? 1 : 0);
  const auto weekday = static_cast<std::size_t>((day % 7 + 7) % 7);
  last = {seconds, fmt::format("{}, {} {} {} {} GMT", weekdays.at(weekday), view.substr(8, 2),
                               months.at(month - 1), view.substr(0, 4), view.substr(11, 8))};
  return last.second;
}

std::string audit_id_of(const Request& request, Random& random) {
  if (request.audit_id.empty()) return make_uid(random);
  return request.audit_id.substr(0, audit_id_bytes_max);
}

Respond stamped(Context& context, const Request& request, Respond respond) {
  return
      [&context, id = request.audit_id, respond = std::move(respond)](Response response) mutable {
        response.headers.emplace_back("Audit-Id", std::move(id));
        response.headers.emplace_back("Date", http_date(context.clock.wall()));
        respond(std::move(response));
      };
}

}  // namespace muster::server
