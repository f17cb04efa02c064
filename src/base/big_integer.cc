// SPDX-License-Identifier: Apache-2.0
#include "base/big_integer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace muster {

namespace {

std::uint32_t power_of_ten(std::size_t exponent) {
  std::uint32_t power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

}  // namespace

BigInteger::BigInteger(std::int64_t value) : negative_(value < 0) {
  // The magnitude of the lowest int64 exists only as an unsigned number.
  auto magnitude = static_cast<std::uint64_t>(value);
  if (negative_) magnitude = 0 - magnitude;
  for (; magnitude != 0; magnitude /= limb_base) {
    limbs_.push_back(static_cast<std::uint32_t>(magnitude % limb_base));
  }
}

BigInteger BigInteger::from_digits(std::string_view digits) {
  BigInteger result;
  result.limbs_.reserve(digits.size() / limb_digits + 1);
  while (!digits.empty()) {
    const std::size_t start = digits.size() - std::min(digits.size(), limb_digits);
    std::uint32_t limb = 0;
    for (const char digit : digits.substr(start)) {
      limb = limb * 10 + static_cast<std::uint32_t>(digit - '0');
    }
    result.limbs_.push_back(limb);
    digits = digits.substr(0, start);
  }
  result.trim();
  return result;
}

std::optional<std::int64_t> BigInteger::to_int64() const {
  std::uint64_t magnitude = 0;
  for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) {
    if (__builtin_mul_overflow(magnitude, limb_base, &magnitude)) return std::nullopt;
    if (__builtin_add_overflow(magnitude, *limb, &magnitude)) return std::nullopt;
  }
  constexpr auto highest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (magnitude > highest + (negative_ ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative_ ? 0 - magnitude : magnitude);
}

std::string BigInteger::digits() const {
  if (limbs_.empty()) return "0";
  std::string text = fmt::format("{}", limbs_.back());
  for (std::size_t i = limbs_.size() - 1; i > 0; --i) {
    fmt::format_to(std::back_inserter(text), "{:09}", limbs_[i - 1]);
  }
  return text;
}

std::size_t BigInteger::digit_count() const {
  if (limbs_.empty()) return 0;
  std::size_t count = (limbs_.size() - 1) * limb_digits;
  for (std::uint32_t limb = limbs_.back(); limb != 0; limb /= 10) ++count;
  return count;
}

void BigInteger::multiply(std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (std::uint32_t& limb : limbs_) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry % limb_base);
    carry /= limb_base;
  }
  for (; carry != 0; carry /= limb_base) {
    limbs_.push_back(static_cast<std::uint32_t>(carry % limb_base));
  }
  trim();
}

BigInteger& BigInteger::operator*=(std::int64_t factor) {
  auto magnitude = static_cast<std::uint64_t>(factor);
  if (factor < 0) magnitude = 0 - magnitude;
  BigInteger upper = *this;
  upper.multiply(static_cast<std::uint32_t>(magnitude >> 32U));
  for (int i = 0; i < 2; ++i) upper.multiply(std::uint32_t{1} << 16U);
  multiply(static_cast<std::uint32_t>(magnitude));
  *this += upper;
  if (factor < 0) negate();
  return *this;
}

std::uint32_t BigInteger::divide(std::uint32_t divisor) {
  std::uint64_t remainder = 0;
  for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) {
    remainder = remainder * limb_base + *limb;
    *limb = static_cast<std::uint32_t>(remainder / divisor);
    remainder %= divisor;
  }
  trim();
  return static_cast<std::uint32_t>(remainder);
}

void BigInteger::shift_left(std::size_t digits) {
  if (limbs_.empty()) return;
  multiply(power_of_ten(digits % limb_digits));
  limbs_.insert(limbs_.begin(), digits / limb_digits, 0);
}

bool BigInteger::shift_right(std::size_t digits) {
  const std::size_t whole = std::min(digits / limb_digits, limbs_.size());
  const auto cut = limbs_.begin() + static_cast<std::ptrdiff_t>(whole);
  bool exact = std::all_of(limbs_.begin(), cut, [](std::uint32_t limb) { return limb == 0; });
  limbs_.erase(limbs_.begin(), cut);
  if (divide(power_of_ten(digits % limb_digits)) != 0) exact = false;
  return exact;
}

void BigInteger::grow_magnitude(int direction) {
  if (limbs_.empty()) negative_ = direction < 0;
  add_magnitude(BigInteger(1));
}

BigInteger& BigInteger::operator+=(const BigInteger& other) {
  if (negative_ == other.negative_ || other.is_zero()) {
    add_magnitude(other);
  } else if (compare_magnitudes(*this, other) >= 0) {
    subtract_smaller_magnitude(other);
  } else {
    BigInteger result = other;
    result.subtract_smaller_magnitude(*this);
    *this = std::move(result);
  }
  return *this;
}

std::strong_ordering BigInteger::compare_magnitudes(const BigInteger& a, const BigInteger& b) {
  if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() <=> b.limbs_.size();
  return std::lexicographical_compare_three_way(a.limbs_.rbegin(), a.limbs_.rend(),
                                                b.limbs_.rbegin(), b.limbs_.rend());
}

std::strong_ordering operator<=>(const BigInteger& a, const BigInteger& b) {
  if (a.sign() != b.sign()) return a.sign() <=> b.sign();
  return a.sign() < 0 ? BigInteger::compare_magnitudes(b, a) : BigInteger::compare_magnitudes(a, b);
}

void BigInteger::add_magnitude(const BigInteger& other) {
  limbs_.resize(std::max(limbs_.size(), other.limbs_.size()));
  std::uint32_t carry = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    std::uint32_t sum = limbs_[i] + carry;
    if (i < other.limbs_.size()) sum += other.limbs_[i];
    carry = sum >= limb_base ? 1 : 0;
    limbs_[i] = sum - carry * limb_base;
  }
  if (carry != 0) limbs_.push_back(carry);
}

void BigInteger::subtract_smaller_magnitude(const BigInteger& other) {
  std::uint32_t borrow = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const std::uint32_t take = borrow + (i < other.limbs_.size() ? other.limbs_[i] : 0);
    borrow = limbs_[i] < take ? 1 : 0;
    limbs_[i] = limbs_[i] + borrow * limb_base - take;
  }
  trim();
}

void BigInteger::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  if (limbs_.empty()) negative_ = false;
}

}  // namespace muster
