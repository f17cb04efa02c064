// Quantity: an amount of a resource exactly as Kubernetes' resource.Quantity has it: a decimal
// number that remembers the suffix family it was written in and prints in that family's shortest
// exact form. Nothing is finer than nano: what is smaller rounds up on parsing.
//
//   const Quantity memory = TRY(Quantity::parse("1.5Gi"));
//   memory.to_string();                      // "1536Mi"
//   const std::int64_t bytes = TRY(memory.value());
//
// Arithmetic is exact at any size. Usual values fit an int64 and touch no heap; the rest, and
// texts that must survive as written ("010"), live in a side block. Leaving int64 is always a
// typed refusal, never a wrapped number: upstream returns garbage there, and prints 1000E as "1".
// All rounding is away from zero.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/big_integer.h"
#include "base/limits.h"
#include "base/result.h"

namespace muster {

enum class QuantityFormat : std::uint8_t {
  decimal_si,        // 12M
  binary_si,         // 12Mi
  decimal_exponent,  // 12e6
};

// A power of ten that amounts are counted in.
enum class QuantityScale : std::int8_t {
  nano = -9,
  micro = -6,
  milli = -3,
  unit = 0,
  kilo = 3,
  mega = 6,
  giga = 9,
};

class Quantity {
 public:
  Quantity() = default;  // zero
  ~Quantity() = default;
  Quantity(Quantity&&) noexcept = default;
  Quantity& operator=(Quantity&&) noexcept = default;
  Quantity(const Quantity& other);
  Quantity& operator=(const Quantity& other);

  // Errors carry Kubernetes' sentences (bad_request), or too_large beyond base/limits.h.
  static Result<Quantity> parse(std::string_view text);

  // The text of a field in an object, a string or a number as written: spaces around it are
  // ignored, as the API server does.
  static Result<Quantity> parse_field(std::string_view text);

  static Quantity of(std::int64_t value, QuantityFormat format = QuantityFormat::decimal_si) {
    return of_scaled(value, QuantityScale::unit, format);
  }
  static Quantity of_milli(std::int64_t value, QuantityFormat format = QuantityFormat::decimal_si) {
    return of_scaled(value, QuantityScale::milli, format);
  }
  static Quantity of_scaled(std::int64_t value, QuantityScale scale,
                            QuantityFormat format = QuantityFormat::decimal_si);

  // The text it was parsed from where Kubernetes keeps that, else the canonical form.
  std::string to_string() const;
  void append_to(std::string& out) const;

  // The canonical form, whatever the text was.
  std::string canonical() const;

  QuantityFormat format() const { return format_; }
  bool is_zero() const { return sign() == 0; }
  int sign() const;  // -1, 0, 1

  // How many of the scale's units, rounded up; too_large when int64 cannot say it.
  Result<std::int64_t> scaled_value(QuantityScale scale) const;
  Result<std::int64_t> value() const { return scaled_value(QuantityScale::unit); }
  Result<std::int64_t> milli_value() const { return scaled_value(QuantityScale::milli); }

  // The same, stopping at the ends of int64; the upper end reads as "unlimited" (base/checked.h).
  std::int64_t saturated_value(QuantityScale scale) const;

  // The nearest double: for weights and metrics, never for accounting.
  double to_double() const;

  // No finer than the scale. A quantity that already is no finer keeps its text.
  Quantity round_up(QuantityScale scale) const;

  // What the API server's defaulting does to every entry of a resource list.
  Quantity round_up_to_milli() const { return round_up(QuantityScale::milli); }

  // Zero takes the other operand's family, as upstream.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  Quantity& operator*=(std::int64_t factor);
  Quantity& operator*=(const Quantity& factor);  // what is finer than nano rounds up
  Quantity operator-() const;
  friend Quantity operator+(Quantity a, const Quantity& b) { return std::move(a += b); }
  friend Quantity operator-(Quantity a, const Quantity& b) { return std::move(a -= b); }
  friend Quantity operator*(Quantity a, std::int64_t b) { return std::move(a *= b); }

  // By amount alone: 1Gi equals 1024Mi equals 1073741824.
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b);
  friend bool operator==(const Quantity& a, const Quantity& b) { return (a <=> b) == 0; }

 private:
  friend class QuantityParser;

  struct Rare {
    std::string text;  // kept as written; empty when the canonical form is right
    bool is_wide = false;
    BigInteger wide;  // the mantissa when is_wide; then mantissa_ means nothing
  };

  bool is_wide() const { return rare_ != nullptr && rare_->is_wide; }
  std::optional<std::int64_t> fitting_value(QuantityScale scale) const;
  BigInteger big_mantissa() const;
  BigInteger big_mantissa_at(std::int32_t exponent) const;  // exponent <= exponent_
  void set_small(std::int64_t mantissa, std::int32_t exponent);
  void set_wide(BigInteger mantissa, std::int32_t exponent);
  void keep_text(std::string_view text);
  bool prints_as_binary() const;
  void append_canonical(std::string& out) const;
  void append_binary(std::string& out) const;
  void append_decimal(std::string& out) const;

  std::int64_t mantissa_ = 0;
  std::int32_t exponent_ = 0;  // the amount is mantissa × 10^exponent, never below nano
  QuantityFormat format_ = QuantityFormat::decimal_si;
  std::unique_ptr<Rare> rare_;
};

// How Kueue counts a resource: thousandths of a cpu, whole units of everything else, rounded up.
Result<std::int64_t> resource_amount(std::string_view resource, const Quantity& quantity);

// Back again, in the family people expect of that resource: "1500m", "2Gi", "8".
Quantity resource_quantity(std::string_view resource, std::int64_t amount);

}  // namespace muster
