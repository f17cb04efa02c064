// Checked and saturating arithmetic on int64, for every number that input can influence. The
// checked functions answer nothing when the exact result does not fit; the saturating ones stop
// at the nearest end, and quota sums read the upper end as "unlimited" (somebody's "infinite" is
// 1000000000Gi, and two of those must not become a negative quota).
//
//   const auto total = checked_add(requested, pods);   // std::optional<std::int64_t>
//   if (!total) return Error::too_large("the sum of the requests overflows");
//   quota = saturating_add(quota, lent);               // unlimited stays unlimited
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace muster {

// The amount that no sum can exceed and no subtraction of a finite amount makes finite.
inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

constexpr std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

constexpr std::optional<std::int64_t> checked_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
  return result;
}

constexpr std::optional<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

constexpr std::optional<std::int64_t> checked_negate(std::int64_t a) {
  return checked_subtract(0, a);
}

// Rounded towards positive infinity. Nothing for a zero divisor and for minimum / -1.
constexpr std::optional<std::int64_t> checked_divide_up(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  if (a == std::numeric_limits<std::int64_t>::min() && b == -1) return std::nullopt;
  const std::int64_t quotient = a / b;
  const bool rounds = a % b != 0 && (a < 0) == (b < 0);
  return quotient + (rounds ? 1 : 0);
}

// Rounded towards negative infinity. Nothing for a zero divisor and for minimum / -1.
constexpr std::optional<std::int64_t> checked_divide_down(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  if (a == std::numeric_limits<std::int64_t>::min() && b == -1) return std::nullopt;
  const std::int64_t quotient = a / b;
  const bool rounds = a % b != 0 && (a < 0) != (b < 0);
  return quotient - (rounds ? 1 : 0);
}

// The same number in another integer type, or nothing.
template <std::integral To, std::integral From>
constexpr std::optional<To> checked_cast(From value) {
  if (!std::in_range<To>(value)) return std::nullopt;
  return static_cast<To>(value);
}

constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : unlimited;
}

constexpr std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_sub_overflow(a, b, &result)) return result;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : unlimited;
}

constexpr std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_mul_overflow(a, b, &result)) return result;
  return (a < 0) != (b < 0) ? std::numeric_limits<std::int64_t>::min() : unlimited;
}

constexpr std::int64_t saturating_negate(std::int64_t a) {
  return saturating_subtract(0, a);
}

// The nearest number of the other type.
template <std::integral To, std::integral From>
constexpr To saturating_cast(From value) {
  if (std::cmp_less(value, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (std::cmp_greater(value, std::numeric_limits<To>::max())) {
    return std::numeric_limits<To>::max();
  }
  return static_cast<To>(value);
}

// Quota arithmetic: unlimited absorbs what is added to it and taken from it. Everything else
// saturates.
constexpr std::int64_t quota_add(std::int64_t a, std::int64_t b) {
  if (a == unlimited || b == unlimited) return unlimited;
  return saturating_add(a, b);
}

constexpr std::int64_t quota_subtract(std::int64_t a, std::int64_t b) {
  if (a == unlimited) return unlimited;
  return saturating_subtract(a, b);
}

}  // namespace muster
