// BigInteger: a whole number of any size, for the few quantities that leave int64. It keeps
// decimal limbs (base 10^9), because all that quantities do is shift by powers of ten, add,
// compare, print and now and then multiply or divide by a small number; with decimal limbs each
// of these is one short loop. Nothing here bounds the size: whoever reads input does.
//
//   BigInteger sum = BigInteger::from_digits("123456789012345678901");
//   sum.shift_left(3);                    // × 1000
//   sum += BigInteger(-7);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

class BigInteger {
 public:
  BigInteger() = default;  // zero
  explicit BigInteger(std::int64_t value);

  // The digits are '0' to '9' only; none is zero.
  static BigInteger from_digits(std::string_view digits);

  bool is_zero() const { return limbs_.empty(); }
  int sign() const { return limbs_.empty() ? 0 : (negative_ ? -1 : 1); }
  std::optional<std::int64_t> to_int64() const;

  // The magnitude, without sign and without leading zeros; "0" for zero.
  std::string digits() const;

  // How many decimal digits the magnitude has; 0 for zero.
  std::size_t digit_count() const;

  void negate() { negative_ = !negative_ && !limbs_.empty(); }
  void multiply(std::uint32_t factor);
  BigInteger& operator*=(std::int64_t factor);

  // Divides the magnitude (so rounds towards zero) and returns the magnitude's remainder.
  std::uint32_t divide(std::uint32_t divisor);

  void shift_left(std::size_t digits);  // × 10^digits

  // ÷ 10^digits, towards zero. True when nothing but zeros was cut off.
  bool shift_right(std::size_t digits);

  // Adds one to the magnitude, away from zero: in the given direction when the number is zero.
  void grow_magnitude(int direction);

  BigInteger& operator+=(const BigInteger& other);

  friend bool operator==(const BigInteger&, const BigInteger&) = default;
  friend std::strong_ordering operator<=>(const BigInteger& a, const BigInteger& b);

 private:
  static constexpr std::uint32_t limb_base = 1'000'000'000;
  static constexpr std::size_t limb_digits = 9;

  static std::strong_ordering compare_magnitudes(const BigInteger& a, const BigInteger& b);
  void add_magnitude(const BigInteger& other);
  void subtract_smaller_magnitude(const BigInteger& other);
  void trim();

  std::vector<std::uint32_t> limbs_;  // least significant first, the last one is not 0
  bool negative_ = false;             // never for zero
};

}  // namespace muster
