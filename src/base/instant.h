// Instant and Span: points and lengths of time as whole nanoseconds. An Instant of a Clock's
// wall() counts from the Unix epoch; one of its monotonic() counts from an arbitrary start. The
// two are different types, because comparing them is always a bug.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace muster {

// A length of time, possibly negative.
struct Span {
  std::int64_t nanoseconds = 0;

  static constexpr Span of_nanoseconds(std::int64_t n) { return {n}; }
  static constexpr Span of_microseconds(std::int64_t n) { return {n * 1'000}; }
  static constexpr Span of_milliseconds(std::int64_t n) { return {n * 1'000'000}; }
  static constexpr Span of_seconds(std::int64_t n) { return {n * 1'000'000'000}; }

  friend constexpr auto operator<=>(Span, Span) = default;
  friend constexpr Span operator+(Span a, Span b) { return {a.nanoseconds + b.nanoseconds}; }
  friend constexpr Span operator-(Span a, Span b) { return {a.nanoseconds - b.nanoseconds}; }
};

// A point in time on one time line.
template <class Line>
struct TimePoint {
  std::int64_t nanoseconds = 0;

  friend constexpr auto operator<=>(TimePoint, TimePoint) = default;
  friend constexpr TimePoint operator+(TimePoint a, Span b) {
    return {a.nanoseconds + b.nanoseconds};
  }
  friend constexpr TimePoint operator-(TimePoint a, Span b) {
    return {a.nanoseconds - b.nanoseconds};
  }
  friend constexpr Span operator-(TimePoint a, TimePoint b) {
    return {a.nanoseconds - b.nanoseconds};
  }
};

using Instant = TimePoint<struct WallLine>;                // since the Unix epoch, UTC
using MonotonicInstant = TimePoint<struct MonotonicLine>;  // never jumps; for timers

}  // namespace muster
