// Timestamp: a moment as objects carry it, printed in UTC: metav1.Time to the second, MicroTime
// with exactly six digits. It spans the years 0000 to 9999, which an Instant (nanoseconds in 64
// bits, 1677 to 2262) does not. Reading is Go's: offsets, fractions after '.' or ',' (digits
// beyond nanoseconds are dropped) and one-digit hours are accepted, impossible dates refused, and
// errors are Go's sentences.
//
//   const Timestamp created = TRY(parse_time("2026-11-15T05:10:44+01:00"));
//   format_time(created);                                    // "2026-11-15T04:10:44Z"
//   format_micro_time(Timestamp::of(clock.wall()));          // "2026-11-15T04:10:44.000000Z"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"

namespace muster {

class Timestamp {
 public:
  // The ends of the years 0000 and 9999, in seconds since the Unix epoch.
  static constexpr std::int64_t seconds_min = -62'167'219'200;
  static constexpr std::int64_t seconds_max = 253'402'300'799;

  constexpr Timestamp() = default;  // the Unix epoch

  static Timestamp of(Instant instant);

  // Nothing outside the years 0000 to 9999, or when nanoseconds is a second or more.
  static std::optional<Timestamp> of_unix(std::int64_t seconds, std::uint32_t nanoseconds);

  constexpr std::int64_t seconds() const { return seconds_; }
  constexpr std::uint32_t nanoseconds() const { return nanoseconds_; }

  // Go's zero time, 0001-01-01T00:00:00Z, which objects write as null.
  bool is_go_zero() const;

  // Nothing outside what an Instant can say; or its nearest end.
  std::optional<Instant> to_instant() const;
  Instant saturated_instant() const;

  friend constexpr auto operator<=>(const Timestamp&, const Timestamp&) = default;

 private:
  constexpr Timestamp(std::int64_t seconds, std::uint32_t nanoseconds)
      : seconds_(seconds), nanoseconds_(nanoseconds) {}

  std::int64_t seconds_ = 0;
  std::uint32_t nanoseconds_ = 0;  // always counts forwards
};

Result<Timestamp> parse_time(std::string_view text);

// Requires the six digits, as Kubernetes does.
Result<Timestamp> parse_micro_time(std::string_view text);

// What is finer than a second, or a microsecond, is cut off.
std::string format_time(Timestamp timestamp);
std::string format_micro_time(Timestamp timestamp);

}  // namespace muster
