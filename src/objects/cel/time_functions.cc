// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "base/duration.h"
#include "base/timestamp.h"
#include "objects/cel/functions.h"

namespace muster::objects::cel {

namespace {

constexpr std::int64_t per_second = 1'000'000'000;

Datum same(const Call& call) {
  return call[0];
}

Datum duration_of_text(const Call& call) {
  call.scratch.spend_text(call[0].size);
  const auto span = parse_duration(call[0].string());
  if (span.has_value()) return Datum::duration(span->nanoseconds);
  return Datum::error("type conversion error from 'string' to 'google.protobuf.Duration'");
}

Datum timestamp_of_text(const Call& call) {
  call.scratch.spend_text(call[0].size);
  const auto moment = parse_time(call[0].string());
  if (moment.has_value()) return Datum::timestamp(moment->seconds(), moment->nanoseconds());
  return Datum::error("type conversion error from 'string' to 'google.protobuf.Timestamp'");
}

Datum timestamp_of_int(const Call& call) {
  const auto moment = Timestamp::of_unix(call[0].integer, 0);
  if (moment.has_value()) return Datum::timestamp(moment->seconds(), moment->nanoseconds());
  return Datum::error("timestamp overflow");
}

template <std::int64_t unit>
Datum whole_units(const Call& call) {
  return Datum::of(call[0].integer / unit);
}

constexpr Function table[] = {
    {"duration", false, false, Kind::duration, 1, {Kind::text}, duration_of_text},
    {"duration", false, false, Kind::duration, 1, {Kind::duration}, same},
    {"timestamp", false, false, Kind::timestamp, 1, {Kind::text}, timestamp_of_text},
    {"timestamp", false, false, Kind::timestamp, 1, {Kind::integer}, timestamp_of_int},
    {"timestamp", false, false, Kind::timestamp, 1, {Kind::timestamp}, same},
    {"getHours", true, false, Kind::integer, 1, {Kind::duration}, whole_units<3600 * per_second>},
    {"getMinutes", true, false, Kind::integer, 1, {Kind::duration}, whole_units<60 * per_second>},
    {"getSeconds", true, false, Kind::integer, 1, {Kind::duration}, whole_units<per_second>},
    {"getMilliseconds", true, false, Kind::integer, 1, {Kind::duration}, whole_units<1'000'000>},
};

}  // namespace

// cel-go prints seconds, never hours.
Datum text_of_duration(const Call& call) {
  const std::int64_t nanoseconds = call[0].integer;
  std::string fraction = fmt::format(
      "{:09}", nanoseconds < 0 ? -(nanoseconds % per_second) : nanoseconds % per_second);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return call.scratch.text(
      fmt::format("{}{}{}{}s", nanoseconds < 0 && nanoseconds > -per_second ? "-" : "",
                  nanoseconds / per_second, fraction.empty() ? "" : ".", fraction));
}

Datum text_of_timestamp(const Call& call) {
  const auto moment = Timestamp::of_unix(call[0].integer, call[0].size);
  std::string text = moment.has_value() ? format_time(*moment) : "";
  if (call[0].size != 0 && text.ends_with('Z')) {
    std::string fraction = fmt::format("{:09}", call[0].size);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text.insert(text.size() - 1, "." + fraction);
  }
  return call.scratch.text(text);
}

Datum seconds_of_timestamp(const Call& call) {
  return Datum::of(call[0].integer);
}

std::span<const Function> time_functions() {
  return table;
}

}  // namespace muster::objects::cel
