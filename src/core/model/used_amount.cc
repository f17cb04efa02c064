// SPDX-License-Identifier: Apache-2.0
#include "core/model/used_amount.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>

namespace muster::core {

namespace {

using Billionths = UsedAmount::Billionths;

constexpr int digits_kept = 9;
constexpr int digits_max = 38;  // of a Billionths
constexpr std::int64_t per_unit = 1'000'000'000;
constexpr std::int64_t per_milli = 1'000'000;

// mantissa × 10^-digits, the shortest that reads as the same double; at least nine digits.
struct Factor {
  std::int64_t mantissa = 0;
  int digits = 0;
};

Factor factor_of(double value) {
  std::array<char, 400> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  Factor factor;
  bool is_fraction = false;
  for (const char c : std::string_view(text.data(), end.ptr)) {
    if (c == '.') {
      is_fraction = true;
    } else {
      factor.mantissa = factor.mantissa * 10 + (c - '0');
      factor.digits += is_fraction ? 1 : 0;
    }
  }
  for (; factor.digits < digits_kept; ++factor.digits) factor.mantissa *= 10;
  return factor;
}

std::int64_t clamped(Billionths amount) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return amount > most ? most : static_cast<std::int64_t>(amount);
}

}  // namespace

UsedAmount UsedAmount::of_units(std::int64_t units) {
  UsedAmount amount;
  amount.billionths_ = static_cast<Billionths>(units) * per_unit;
  return amount;
}

UsedAmount UsedAmount::of_milli(std::int64_t thousandths) {
  UsedAmount amount;
  amount.billionths_ = static_cast<Billionths>(thousandths) * per_milli;
  return amount;
}

UsedAmount UsedAmount::of(const Quantity& quantity) {
  const std::int64_t fine = quantity.saturated_value(QuantityScale::nano);
  const bool is_large = fine == std::numeric_limits<std::int64_t>::max();
  UsedAmount amount =
      is_large ? of_units(quantity.saturated_value(QuantityScale::unit)) : UsedAmount();
  if (!is_large) amount.billionths_ = fine;
  amount.written_ = quantity.to_double();
  return amount;
}

UsedAmount& UsedAmount::operator+=(const UsedAmount& other) {
  // Also of many that are absurd: what is scaled must have room (see scaled()).
  constexpr Billionths most =
      static_cast<Billionths>(std::numeric_limits<std::int64_t>::max()) * per_unit;
  billionths_ = std::min(billionths_ + other.billionths_, most);
  written_.reset();
  return *this;
}

// The product has more digits than a Billionths: the upper part and the last nine digits are
// multiplied apart, and nine of the digits that are cut off go first.
UsedAmount UsedAmount::scaled(double factor) const {
  const Factor by = factor_of(factor);
  UsedAmount result;
  if (by.digits - digits_kept > digits_max) return result;
  const Billionths upper = billionths_ / per_unit * by.mantissa;
  const Billionths lower = billionths_ % per_unit * by.mantissa / per_unit;
  result.billionths_ = upper + lower;
  for (int i = digits_kept; i < by.digits; ++i) result.billionths_ /= 10;
  return result;
}

double UsedAmount::to_double() const {
  return written_ ? *written_ : static_cast<double>(billionths_) * 1e-9;
}

std::int64_t UsedAmount::milli() const {
  return clamped(billionths_ / per_milli);
}

std::int64_t UsedAmount::units() const {
  return clamped(billionths_ / per_unit);
}

}  // namespace muster::core
