// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>

#include "base/big_integer.h"
#include "base/checked.h"
#include "base/quantity.h"

// Uses GoogleTest's names without including it, so it comes after.
#include <rapidcheck/gtest.h>

namespace muster {
namespace {

rc::Gen<std::string> digits(int count_max) {
  return rc::gen::withSize([count_max](int size) {
    const int limit = std::max(1, std::min(count_max, size / 4 + 1));
    return rc::gen::resize(limit, rc::gen::container<std::string>(rc::gen::inRange('0', ':')));
  });
}

// Texts of every family: short and long numbers, fractions, signs, all suffixes.
rc::Gen<std::string> texts() {
  const auto suffixes =
      rc::gen::element<std::string>("", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi",
                                    "Gi", "Ti", "Pi", "Ei", "e3", "e-3", "E5", "e-7", "e+12");
  return rc::gen::map(rc::gen::tuple(rc::gen::element<std::string>("", "", "-", "+"), digits(30),
                                     rc::gen::arbitrary<bool>(), digits(15), suffixes),
                      [](const auto& parts) {
                        const auto& [sign, whole, has_fraction, fraction, suffix] = parts;
                        return sign + "0" + whole + (has_fraction ? "." + fraction : "") + suffix;
                      });
}

Quantity any_quantity() {
  return Quantity::parse(*texts()).must();
}

RC_GTEST_PROP(QuantityProperty, what_is_printed_reads_as_the_same_amount, ()) {
  const Quantity quantity = any_quantity();
  RC_ASSERT(Quantity::parse(quantity.to_string()).must() == quantity);
  RC_ASSERT(Quantity::parse(quantity.canonical()).must() == quantity);
}

// A binary amount that prints without a suffix comes back as a decimal one, which may print
// otherwise (69831531.25Ki, 71507488000, 71507488k), in Kubernetes too.
RC_GTEST_PROP(QuantityProperty, the_canonical_form_settles_when_it_is_read_once, ()) {
  const Quantity read = Quantity::parse(any_quantity().canonical()).must();
  const std::string settled = read.canonical();
  const Quantity again = Quantity::parse(settled).must();
  RC_ASSERT(again.canonical() == settled);
  RC_ASSERT(again.to_string() == settled);
}

RC_GTEST_PROP(QuantityProperty, the_order_is_total_and_agrees_with_subtraction, ()) {
  const Quantity a = any_quantity();
  const Quantity b = any_quantity();
  const Quantity c = any_quantity();
  RC_ASSERT(((a <=> b) == 0) == ((b <=> a) == 0));
  RC_ASSERT((a < b) == (b > a));
  RC_ASSERT((a < b) == ((a - b).sign() < 0));
  RC_ASSERT((a == b) == (a - b).is_zero());
  if (a <= b && b <= c) RC_ASSERT(a <= c);
}

RC_GTEST_PROP(QuantityProperty, addition_is_exact, ()) {
  const Quantity a = any_quantity();
  const Quantity b = any_quantity();
  const Quantity c = any_quantity();
  RC_ASSERT(a + b == b + a);
  RC_ASSERT((a + b) + c == a + (b + c));
  RC_ASSERT((a + b) - b == a);
  RC_ASSERT(-(-a) == a);
  RC_ASSERT(a - a == Quantity());
}

RC_GTEST_PROP(QuantityProperty, multiplication_distributes, ()) {
  const Quantity a = any_quantity();
  const Quantity b = any_quantity();
  const auto factor = *rc::gen::arbitrary<std::int64_t>();
  RC_ASSERT((a + b) * factor == a * factor + b * factor);
  RC_ASSERT(a * 3 == a + a + a);
  RC_ASSERT(a * -1 == -a);
}

RC_GTEST_PROP(QuantityProperty, rounding_moves_away_from_zero_by_less_than_one_unit, ()) {
  const Quantity a = any_quantity();
  const Quantity rounded = a.round_up_to_milli();
  const Quantity moved = a.sign() < 0 ? a - rounded : rounded - a;
  RC_ASSERT(moved.sign() >= 0);
  RC_ASSERT(moved < Quantity::of_milli(1));
  RC_ASSERT(rounded.round_up_to_milli() == rounded);
}

RC_GTEST_PROP(QuantityProperty, a_value_is_refused_exactly_when_int64_cannot_say_it, ()) {
  const Quantity a = any_quantity();
  const auto milli = a.milli_value();
  const Quantity rounded = a.round_up_to_milli();
  const bool fits = rounded <= Quantity::of_milli(unlimited) &&
                    rounded >= Quantity::of_milli(std::numeric_limits<std::int64_t>::min());
  RC_ASSERT(milli.has_value() == fits);
  if (milli) RC_ASSERT(Quantity::of_milli(*milli) == rounded);
}

RC_GTEST_PROP(QuantityProperty, every_int64_survives, (std::int64_t value)) {
  for (const QuantityFormat format :
       {QuantityFormat::decimal_si, QuantityFormat::binary_si, QuantityFormat::decimal_exponent}) {
    const Quantity quantity = Quantity::of(value, format);
    RC_ASSERT(quantity.value().must() == value);
    RC_ASSERT(Quantity::parse(quantity.to_string()).must() == quantity);
  }
}

RC_GTEST_PROP(CheckedProperty, checked_and_saturating_agree, (std::int64_t a, std::int64_t b)) {
  BigInteger sum(a);
  sum += BigInteger(b);
  RC_ASSERT(checked_add(a, b) == sum.to_int64());
  BigInteger product(a);
  product *= b;
  RC_ASSERT(checked_multiply(a, b) == product.to_int64());
  if (const auto exact = checked_multiply(a, b)) RC_ASSERT(saturating_multiply(a, b) == *exact);
  if (const auto exact = checked_subtract(a, b)) RC_ASSERT(saturating_subtract(a, b) == *exact);
}

}  // namespace
}  // namespace muster
