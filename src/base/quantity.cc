// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

#include "base/checked.h"

namespace muster {

namespace {

__extension__ using Wide = __int128;

// A product of an int64 and 10^18 still fits 127 bits, so scales this far apart need no heap.
constexpr std::int32_t scale_gap_max = 18;

constexpr auto powers_of_ten = [] {
  std::array<std::int64_t, scale_gap_max + 1> powers{};
  std::int64_t power = 1;
  for (auto& entry : powers) {
    entry = power;
    if (power <= std::numeric_limits<std::int64_t>::max() / 10) power *= 10;
  }
  return powers;
}();

constexpr std::int32_t decimal_si_exponent_max = 18;
constexpr int binary_steps_max = 6;  // Ei

std::int64_t power_of_ten(std::int32_t exponent) {
  return powers_of_ten[static_cast<std::size_t>(exponent)];
}

std::int32_t exponent_of(QuantityScale scale) {
  return static_cast<std::int32_t>(scale);
}

bool fits_int64(Wide value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

// value ÷ 10^digits, away from zero.
std::int64_t divided_up(std::int64_t value, std::int32_t digits) {
  if (digits > scale_gap_max) return value > 0 ? 1 : (value < 0 ? -1 : 0);
  const std::int64_t divisor = power_of_ten(digits);
  const std::int64_t quotient = value / divisor;
  if (value % divisor == 0) return quotient;
  return value > 0 ? quotient + 1 : quotient - 1;
}

void shift_right_up(BigInteger& value, std::int32_t digits) {
  const int direction = value.sign();
  if (!value.shift_right(static_cast<std::size_t>(digits))) value.grow_magnitude(direction);
}

char decimal_si_suffix(std::int32_t exponent) {
  constexpr std::string_view suffixes = "num kMGTPE";
  const std::int32_t index = exponent / 3 + 3;
  return suffixes[static_cast<std::size_t>(index)];
}

void append_number(std::string& out, std::int64_t number) {
  std::array<char, 20> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  out.append(buffer.data(), end);
}

}  // namespace

Quantity::Quantity(const Quantity& other)
    : mantissa_(other.mantissa_),
      exponent_(other.exponent_),
      format_(other.format_),
      rare_(other.rare_ == nullptr ? nullptr : std::make_unique<Rare>(*other.rare_)) {}

Quantity& Quantity::operator=(const Quantity& other) {
  if (this != &other) *this = Quantity(other);
  return *this;
}

Quantity Quantity::of_scaled(std::int64_t value, QuantityScale scale, QuantityFormat format) {
  Quantity result;
  result.set_small(value, exponent_of(scale));
  result.format_ = format;
  return result;
}

BigInteger Quantity::big_mantissa() const {
  return is_wide() ? rare_->wide : BigInteger(mantissa_);
}

BigInteger Quantity::big_mantissa_at(std::int32_t exponent) const {
  BigInteger result = big_mantissa();
  result.shift_left(static_cast<std::size_t>(exponent_ - exponent));
  return result;
}

void Quantity::set_small(std::int64_t mantissa, std::int32_t exponent) {
  mantissa_ = mantissa;
  exponent_ = exponent;
  rare_.reset();
}

// Comes back to an int64 mantissa when one can say the same.
void Quantity::set_wide(BigInteger mantissa, std::int32_t exponent) {
  const std::string digits = mantissa.digits();
  const std::size_t last = digits.find_last_not_of('0');
  if (last == std::string::npos) return set_small(0, 0);
  const std::size_t zeros = digits.size() - 1 - last;
  mantissa.shift_right(zeros);
  exponent += static_cast<std::int32_t>(zeros);
  if (const auto small = mantissa.to_int64()) return set_small(*small, exponent);
  mantissa_ = 0;
  exponent_ = exponent;
  rare_ = std::make_unique<Rare>(Rare{.text = {}, .is_wide = true, .wide = std::move(mantissa)});
}

void Quantity::keep_text(std::string_view text) {
  if (rare_ == nullptr) rare_ = std::make_unique<Rare>();
  rare_->text = text;
}

int Quantity::sign() const {
  if (is_wide()) return rare_->wide.sign();
  return mantissa_ > 0 ? 1 : (mantissa_ < 0 ? -1 : 0);
}

std::optional<std::int64_t> Quantity::fitting_value(QuantityScale scale) const {
  const std::int32_t gap = exponent_ - exponent_of(scale);
  if (is_wide()) {
    BigInteger scaled = rare_->wide;
    if (gap >= 0) {
      scaled.shift_left(static_cast<std::size_t>(gap));
    } else {
      shift_right_up(scaled, -gap);
    }
    return scaled.to_int64();
  }
  if (gap <= 0) return divided_up(mantissa_, -gap);
  if (mantissa_ == 0) return 0;
  if (gap > scale_gap_max) return std::nullopt;
  return checked_multiply(mantissa_, power_of_ten(gap));
}

Result<std::int64_t> Quantity::scaled_value(QuantityScale scale) const {
  if (const auto result = fitting_value(scale)) return *result;
  return Error::too_large("quantity " + to_string() + " does not fit 64 bits");
}

std::int64_t Quantity::saturated_value(QuantityScale scale) const {
  if (const auto result = fitting_value(scale)) return *result;
  return sign() < 0 ? std::numeric_limits<std::int64_t>::min() : unlimited;
}

double Quantity::to_double() const {
  std::string text = sign() < 0 ? "-" : "";
  text += big_mantissa().digits();
  text += 'e';
  append_number(text, exponent_);
  double result = 0;
  const auto outcome = std::from_chars(text.data(), text.data() + text.size(), result);
  if (outcome.ec == std::errc::result_out_of_range) {
    result = sign() * std::numeric_limits<double>::infinity();
  }
  return result;
}

Quantity Quantity::round_up(QuantityScale scale) const {
  Quantity result = *this;
  const std::int32_t digits = exponent_of(scale) - exponent_;
  if (digits <= 0) return result;
  if (is_wide()) {
    BigInteger mantissa = rare_->wide;
    shift_right_up(mantissa, digits);
    result.set_wide(std::move(mantissa), exponent_of(scale));
  } else {
    result.set_small(divided_up(mantissa_, digits), exponent_of(scale));
  }
  return result;
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (is_zero()) {
    *this = Quantity(other);
    if (!is_wide()) rare_.reset();
    return *this;
  }
  if (other.is_zero()) {
    if (!is_wide()) rare_.reset();
    return *this;
  }
  const std::int32_t exponent = std::min(exponent_, other.exponent_);
  const std::int32_t gap = std::max(exponent_, other.exponent_) - exponent;
  if (!is_wide() && !other.is_wide() && gap <= scale_gap_max) {
    const Wide a = Wide{mantissa_} * power_of_ten(exponent_ - exponent);
    const Wide b = Wide{other.mantissa_} * power_of_ten(other.exponent_ - exponent);
    if (fits_int64(a + b)) {
      set_small(static_cast<std::int64_t>(a + b), exponent);
      return *this;
    }
  }
  BigInteger sum = big_mantissa_at(exponent);
  sum += other.big_mantissa_at(exponent);
  set_wide(std::move(sum), exponent);
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  return *this += -other;
}

Quantity& Quantity::operator*=(std::int64_t factor) {
  if (!is_wide()) {
    if (const auto product = checked_multiply(mantissa_, factor)) {
      set_small(*product, *product == 0 ? 0 : exponent_);
      return *this;
    }
  }
  BigInteger product = big_mantissa();
  product *= factor;
  set_wide(std::move(product), exponent_);
  return *this;
}

namespace {

BigInteger multiplied(const BigInteger& a, const BigInteger& b) {
  constexpr std::size_t chunk_digits = 9;
  std::string digits = b.digits();
  digits.insert(0, (chunk_digits - digits.size() % chunk_digits) % chunk_digits, '0');
  BigInteger product;
  for (std::size_t at = 0; at < digits.size(); at += chunk_digits) {
    BigInteger part = a;
    part *= *BigInteger::from_digits(digits.substr(at, chunk_digits)).to_int64();
    product.shift_left(chunk_digits);
    product += part;
  }
  if (b.sign() < 0) product.negate();
  return product;
}

}  // namespace

Quantity& Quantity::operator*=(const Quantity& factor) {
  const std::int32_t exponent = exponent_ + factor.exponent_;
  const std::int32_t finest = exponent_of(QuantityScale::nano);
  if (!is_wide() && !factor.is_wide() && exponent >= finest) {
    if (const auto product = checked_multiply(mantissa_, factor.mantissa_)) {
      set_small(*product, *product == 0 ? 0 : exponent);
      return *this;
    }
  }
  BigInteger product = multiplied(big_mantissa(), factor.big_mantissa());
  if (exponent < finest) shift_right_up(product, finest - exponent);
  set_wide(std::move(product), std::max(exponent, finest));
  return *this;
}

Quantity Quantity::operator-() const {
  Quantity result;
  result.format_ = format_;
  const auto negated = is_wide() ? std::nullopt : checked_negate(mantissa_);
  if (negated) {
    result.set_small(*negated, exponent_);
  } else {
    BigInteger mantissa = big_mantissa();
    mantissa.negate();
    result.set_wide(std::move(mantissa), exponent_);
  }
  return result;
}

std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
  if (a.sign() != b.sign()) return a.sign() <=> b.sign();
  if (a.is_zero()) return std::strong_ordering::equal;
  const std::int32_t exponent = std::min(a.exponent_, b.exponent_);
  const std::int32_t gap = std::max(a.exponent_, b.exponent_) - exponent;
  if (!a.is_wide() && !b.is_wide() && gap <= scale_gap_max) {
    const Wide left = Wide{a.mantissa_} * power_of_ten(a.exponent_ - exponent);
    const Wide right = Wide{b.mantissa_} * power_of_ten(b.exponent_ - exponent);
    return left < right   ? std::strong_ordering::less
           : left > right ? std::strong_ordering::greater
                          : std::strong_ordering::equal;
  }
  return a.big_mantissa_at(exponent) <=> b.big_mantissa_at(exponent);
}

std::string Quantity::to_string() const {
  std::string out;
  append_to(out);
  return out;
}

void Quantity::append_to(std::string& out) const {
  if (rare_ != nullptr && !rare_->text.empty()) {
    out += rare_->text;
  } else {
    append_canonical(out);
  }
}

std::string Quantity::canonical() const {
  std::string out;
  append_canonical(out);
  return out;
}

void Quantity::append_canonical(std::string& out) const {
  if (is_zero()) {
    out += '0';
  } else if (prints_as_binary()) {
    append_binary(out);
  } else {
    append_decimal(out);
  }
}

// The binary family prints decimal below 1024 and for what is not whole.
bool Quantity::prints_as_binary() const {
  if (format_ != QuantityFormat::binary_si) return false;
  if (exponent_ == 0 && !is_wide()) return mantissa_ >= 1024 || mantissa_ <= -1024;
  const Quantity magnitude = sign() < 0 ? -*this : *this;
  if (magnitude < Quantity::of(1024)) return false;
  return magnitude.round_up(QuantityScale::unit) == magnitude;
}

void Quantity::append_binary(std::string& out) const {
  constexpr std::uint32_t step = 1024;
  int steps = 0;
  if (const auto whole = fitting_value(QuantityScale::unit)) {
    std::int64_t number = *whole;
    for (; steps < binary_steps_max && number % step == 0; ++steps) number /= step;
    append_number(out, number);
  } else {
    BigInteger number = big_mantissa();
    if (exponent_ >= 0) number.shift_left(static_cast<std::size_t>(exponent_));
    if (exponent_ < 0) number.shift_right(static_cast<std::size_t>(-exponent_));
    for (; steps < binary_steps_max; ++steps) {
      BigInteger quotient = number;
      if (quotient.divide(step) != 0) break;
      number = std::move(quotient);
    }
    if (number.sign() < 0) out += '-';
    out += number.digits();
  }
  constexpr std::string_view suffixes = "KMGTPE";
  if (steps > 0) {
    out += suffixes[static_cast<std::size_t>(steps - 1)];
    out += 'i';
  }
}

void Quantity::append_decimal(std::string& out) const {
  const std::size_t start = out.size();
  if (is_wide()) {
    if (sign() < 0) out += '-';
    out += rare_->wide.digits();
  } else {
    append_number(out, mantissa_);
  }
  std::int32_t exponent = exponent_;
  while (out.size() > start && out.back() == '0') {
    out.pop_back();
    ++exponent;
  }
  std::int32_t zeros = ((exponent % 3) + 3) % 3;
  const bool has_suffixes = format_ != QuantityFormat::decimal_exponent;
  if (has_suffixes) zeros = std::max(zeros, exponent - decimal_si_exponent_max);
  out.append(static_cast<std::size_t>(zeros), '0');
  exponent -= zeros;
  if (exponent == 0) return;
  if (has_suffixes) {
    out += decimal_si_suffix(exponent);
  } else {
    out += 'e';
    append_number(out, exponent);
  }
}

Result<std::int64_t> resource_amount(std::string_view resource, const Quantity& quantity) {
  return resource == "cpu" ? quantity.milli_value() : quantity.value();
}

// Kueue reads the binary text back, and a number without a binary suffix reads as a decimal one.
Quantity resource_quantity(std::string_view resource, std::int64_t amount) {
  if (resource == "cpu") return Quantity::of_milli(amount);
  const bool is_bytes =
      resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
  const bool is_binary = is_bytes && amount % 1024 == 0;
  return Quantity::of(amount, is_binary ? QuantityFormat::binary_si : QuantityFormat::decimal_si);
}

}  // namespace muster
