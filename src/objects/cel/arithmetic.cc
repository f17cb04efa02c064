// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/arithmetic.h"

#include <string>
#include <vector>

#include "base/timestamp.h"

namespace muster::objects::cel {

namespace {

constexpr std::string_view no_such_overload = "no such overload";
constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

Datum concatenate(Scratch& scratch, const Datum& a, const Datum& b) {
  // Charged before it is made: this is how an expression would grow without end.
  if (!scratch.spend_text(std::size_t{a.size} + b.size)) return Datum();
  if (a.is_text()) return scratch.text(std::string(a.string()).append(b.string()));
  if (!scratch.spend(std::uint64_t{a.size} + b.size)) return Datum();
  std::vector<Datum> items;
  items.reserve(std::size_t{a.size} + b.size);
  for (std::size_t i = 0; i < a.size; ++i) items.push_back(a.element(i));
  for (std::size_t i = 0; i < b.size; ++i) items.push_back(b.element(i));
  return scratch.list(items);
}

Datum reals(Operation operation, double a, double b) {
  if (operation == Operation::add) return Datum::of(a + b);
  if (operation == Operation::subtract) return Datum::of(a - b);
  if (operation == Operation::multiply) return Datum::of(a * b);
  if (operation == Operation::divide) return Datum::of(a / b);
  return Datum::error(no_such_overload);
}

// A moment some nanoseconds later, or earlier.
Datum moved(const Datum& moment, std::int64_t nanoseconds) {
  std::int64_t seconds = moment.integer + nanoseconds / nanoseconds_per_second;
  std::int64_t rest = std::int64_t{moment.size} + nanoseconds % nanoseconds_per_second;
  if (rest < 0) {
    rest += nanoseconds_per_second;
    --seconds;
  }
  if (rest >= nanoseconds_per_second) {
    rest -= nanoseconds_per_second;
    ++seconds;
  }
  const auto at = Timestamp::of_unix(seconds, static_cast<std::uint32_t>(rest));
  if (!at.has_value()) return Datum::error("timestamp overflow");
  return Datum::timestamp(at->seconds(), at->nanoseconds());
}

// The length of time between two moments.
Datum between(const Datum& later, const Datum& earlier) {
  std::int64_t nanoseconds = 0;
  const std::int64_t rest = std::int64_t{later.size} - std::int64_t{earlier.size};
  if (__builtin_mul_overflow(later.integer - earlier.integer, nanoseconds_per_second,
                             &nanoseconds) ||
      __builtin_add_overflow(nanoseconds, rest, &nanoseconds)) {
    return Datum::error("integer overflow");
  }
  return Datum::duration(nanoseconds);
}

Datum times(Operation operation, const Datum& a, const Datum& b) {
  const bool adds = operation == Operation::add;
  if (!adds && operation != Operation::subtract) return Datum::error(no_such_overload);
  if (a.kind == Kind::duration && b.kind == Kind::duration) {
    Datum sum = integer_arithmetic(operation, a.integer, b.integer);
    if (!sum.is_error()) sum.kind = Kind::duration;
    return sum;
  }
  if (a.kind == Kind::timestamp && b.kind == Kind::timestamp && !adds) return between(a, b);
  if (a.kind == Kind::duration && b.kind == Kind::timestamp && adds) return moved(b, a.integer);
  if (a.kind == Kind::timestamp && b.kind == Kind::duration) {
    const Datum shift = integer_arithmetic(operation, 0, b.integer);
    return shift.is_error() ? shift : moved(a, shift.integer);
  }
  return Datum::error(no_such_overload);
}

bool is_time(const Datum& datum) {
  return datum.kind == Kind::duration || datum.kind == Kind::timestamp;
}

}  // namespace

Datum arithmetic(Scratch& scratch, Operation operation, Datum a, Datum b) {
  if (a.kind == Kind::integer && b.kind == Kind::integer) {
    return integer_arithmetic(operation, a.integer, b.integer);
  }
  // JSON writes a double without a fraction as a whole number.
  if (a.kind == Kind::integer && b.kind == Kind::real && a.from_object) a = Datum::of(a.as_real());
  if (b.kind == Kind::integer && a.kind == Kind::real && b.from_object) b = Datum::of(b.as_real());
  if (a.kind == Kind::real && b.kind == Kind::real) return reals(operation, a.real, b.real);
  if (is_time(a) && is_time(b)) return times(operation, a, b);
  const bool alike = a.kind == b.kind && (a.is_text() || a.is_list());
  if (operation == Operation::add && alike) return concatenate(scratch, a, b);
  return Datum::error(no_such_overload);
}

Datum integer_arithmetic(Operation operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  if (operation == Operation::add) {
    overflow = __builtin_add_overflow(a, b, &result);
  } else if (operation == Operation::subtract) {
    overflow = __builtin_sub_overflow(a, b, &result);
  } else if (operation == Operation::multiply) {
    overflow = __builtin_mul_overflow(a, b, &result);
  } else if (b == 0) {
    return Datum::error(operation == Operation::divide ? "division by zero" : "modulus by zero");
  } else if (b == -1) {
    // The one quotient that does not fit, and the remainder that traps with it.
    overflow = __builtin_sub_overflow(std::int64_t{0}, a, &result);
    if (operation == Operation::modulo) result = 0;
  } else {
    result = operation == Operation::divide ? a / b : a % b;
  }
  return overflow ? Datum::error("integer overflow") : Datum::of(result);
}

}  // namespace muster::objects::cel
