// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/age.h"
#include "base/duration.h"
#include "base/timestamp.h"

// Uses GoogleTest's names without including it, so it comes after.
#include <rapidcheck/gtest.h>

namespace muster {
namespace {

Timestamp any_timestamp() {
  const auto seconds = *rc::gen::inRange(Timestamp::seconds_min, Timestamp::seconds_max + 1);
  const auto nanoseconds = *rc::gen::inRange<std::uint32_t>(0, 1'000'000'000);
  return Timestamp::of_unix(seconds, nanoseconds).value();
}

RC_GTEST_PROP(TimestampProperty, what_is_printed_reads_as_the_same_moment, ()) {
  const Timestamp timestamp = any_timestamp();
  const Timestamp to_second = Timestamp::of_unix(timestamp.seconds(), 0).value();
  const Timestamp to_microsecond =
      Timestamp::of_unix(timestamp.seconds(), timestamp.nanoseconds() / 1'000 * 1'000).value();
  RC_ASSERT(parse_time(format_time(timestamp)).must() == to_second);
  RC_ASSERT(parse_micro_time(format_micro_time(timestamp)).must() == to_microsecond);
}

RC_GTEST_PROP(TimestampProperty, texts_sort_as_the_moments_do, ()) {
  const Timestamp a = any_timestamp();
  const Timestamp b = any_timestamp();
  if (a < b) RC_ASSERT(format_micro_time(a) <= format_micro_time(b));
}

RC_GTEST_PROP(TimestampProperty, an_offset_shifts_by_exactly_itself, ()) {
  const Timestamp timestamp = any_timestamp();
  const auto minutes = *rc::gen::inRange(-1439, 1440);
  std::string text = format_time(timestamp);
  text.pop_back();
  text += fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', std::abs(minutes) / 60,
                      std::abs(minutes) % 60);
  const auto shifted = Timestamp::of_unix(timestamp.seconds() - std::int64_t{minutes} * 60, 0);
  const auto parsed = parse_time(text);
  RC_ASSERT(parsed.has_value() == shifted.has_value());
  if (shifted) RC_ASSERT(*parsed == *shifted);
}

RC_GTEST_PROP(TimestampProperty, instants_go_there_and_back, (std::int64_t nanoseconds)) {
  const Instant instant{nanoseconds};
  RC_ASSERT(Timestamp::of(instant).to_instant() == instant);
}

RC_GTEST_PROP(DurationProperty, what_is_printed_reads_as_the_same_length, (std::int64_t length)) {
  RC_ASSERT(parse_duration(format_duration({length})).must() == Span{length});
}

RC_GTEST_PROP(DurationProperty, an_age_reads_as_no_more_than_itself, (std::int64_t length)) {
  const std::string age = human_duration({length});
  RC_ASSERT(!age.empty());
  // Days and years are no Go units; everything shorter is.
  if (length < 0 || age.find_first_of("dy") != std::string::npos) return;
  RC_ASSERT(parse_duration(age).must() <= Span{length});
}

}  // namespace
}  // namespace muster
