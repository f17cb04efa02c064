// SPDX-License-Identifier: Apache-2.0
#include "base/duration.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/go_quote.h"

namespace muster {

namespace {

// A magnitude of 2^63 exists for negative durations only.
constexpr std::uint64_t magnitude_max = std::uint64_t{1} << 63U;

constexpr std::uint64_t nanoseconds_per_second = 1'000'000'000;

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 8> units{{
    {"s", nanoseconds_per_second},
    {"m", 60 * nanoseconds_per_second},
    {"h", 3'600 * nanoseconds_per_second},
    {"ms", 1'000'000},
    {"us", 1'000},
    {"\xC2\xB5s", 1'000},  // U+00B5, the micro sign
    {"\xCE\xBCs", 1'000},  // U+03BC, the Greek letter mu
    {"ns", 1},
}};

class DurationReader {
 public:
  explicit DurationReader(std::string_view text) : text_(text), rest_(text) {}

  Result<Span> read() {
    bool is_negative = false;
    if (rest_.starts_with('-') || rest_.starts_with('+')) {
      is_negative = rest_[0] == '-';
      rest_.remove_prefix(1);
    }
    if (rest_ == "0") return Span{};
    if (rest_.empty()) return refusal("invalid duration");
    std::uint64_t total = 0;
    while (!rest_.empty()) {
      const bool wraps = __builtin_add_overflow(total, TRY(term()), &total);
      if (wraps || total > magnitude_max) return refusal("invalid duration");
    }
    if (is_negative) return Span{static_cast<std::int64_t>(0 - total)};
    if (total == magnitude_max) return refusal("invalid duration");
    return Span{static_cast<std::int64_t>(total)};
  }

 private:
  struct Fraction {
    std::uint64_t digits = 0;
    double scale = 1;
  };

  // One number with its unit, in nanoseconds.
  Result<std::uint64_t> term() {
    if (!is_digit(rest_[0]) && rest_[0] != '.') return refusal("invalid duration");
    const std::size_t before = rest_.size();
    const auto whole = take_whole();
    if (!whole) return refusal("invalid duration");
    bool has_digits = rest_.size() != before;
    Fraction fraction;
    if (rest_.starts_with('.')) {
      rest_.remove_prefix(1);
      has_digits = has_digits || (!rest_.empty() && is_digit(rest_[0]));
      fraction = take_fraction();
    }
    if (!has_digits) return refusal("invalid duration");
    const std::uint64_t unit = TRY(take_unit());
    if (*whole > magnitude_max / unit) return refusal("invalid duration");
    std::uint64_t value = *whole * unit;
    if (fraction.digits > 0) {
      // Go computes fractions in doubles; the same steps give the same nanosecond.
      value += static_cast<std::uint64_t>(static_cast<double>(fraction.digits) *
                                          (static_cast<double>(unit) / fraction.scale));
      if (value > magnitude_max) return refusal("invalid duration");
    }
    return value;
  }

  std::optional<std::uint64_t> take_whole() {
    std::uint64_t value = 0;
    for (; !rest_.empty() && is_digit(rest_[0]); rest_.remove_prefix(1)) {
      if (value > magnitude_max / 10) return std::nullopt;
      value = value * 10 + static_cast<std::uint64_t>(rest_[0] - '0');
      if (value > magnitude_max) return std::nullopt;
    }
    return value;
  }

  // Digits that no longer fit are dropped: they cannot reach a nanosecond.
  Fraction take_fraction() {
    Fraction fraction;
    bool is_full = false;
    for (; !rest_.empty() && is_digit(rest_[0]); rest_.remove_prefix(1)) {
      if (is_full || fraction.digits > (magnitude_max - 1) / 10) {
        is_full = true;
        continue;
      }
      const std::uint64_t next = fraction.digits * 10 + static_cast<std::uint64_t>(rest_[0] - '0');
      if (next > magnitude_max) {
        is_full = true;
        continue;
      }
      fraction.digits = next;
      fraction.scale *= 10;
    }
    return fraction;
  }

  Result<std::uint64_t> take_unit() {
    std::size_t size = 0;
    while (size < rest_.size() && !is_digit(rest_[size]) && rest_[size] != '.') ++size;
    if (size == 0) return refusal("missing unit in duration");
    const std::string_view name = rest_.substr(0, size);
    rest_.remove_prefix(size);
    for (const auto& [unit, nanoseconds] : units) {
      if (unit == name) return nanoseconds;
    }
    return refusal("unknown unit " + go_quote(name) + " in duration");
  }

  Error refusal(std::string_view reason) const {
    return Error::bad_request(fmt::format("time: {} {}", reason, go_quote(text_)));
  }

  std::string_view text_;
  std::string_view rest_;
};

// whole.fraction without trailing zeros, where `value` counts 10^-digits.
void append_decimal(std::string& out, std::uint64_t value, int digits) {
  std::uint64_t divisor = 1;
  for (int i = 0; i < digits; ++i) divisor *= 10;
  fmt::format_to(std::back_inserter(out), "{}", value / divisor);
  if (value % divisor == 0) return;
  fmt::format_to(std::back_inserter(out), ".{:0{}}", value % divisor, digits);
  out.erase(out.find_last_not_of('0') + 1);
}

}  // namespace

Result<Span> parse_duration(std::string_view text) {
  return DurationReader(text).read();
}

std::string format_duration(Span span) {
  auto magnitude = static_cast<std::uint64_t>(span.nanoseconds);
  std::string out;
  if (span.nanoseconds < 0) {
    magnitude = 0 - magnitude;
    out += '-';
  }
  if (magnitude == 0) return "0s";
  if (magnitude < nanoseconds_per_second) {
    const int digits = magnitude < 1'000 ? 0 : (magnitude < 1'000'000 ? 3 : 6);
    append_decimal(out, magnitude, digits);
    return out + (digits == 0 ? "ns" : (digits == 3 ? "\xC2\xB5s" : "ms"));
  }
  const std::uint64_t minutes = magnitude / (60 * nanoseconds_per_second);
  if (minutes >= 60) fmt::format_to(std::back_inserter(out), "{}h", minutes / 60);
  if (minutes > 0) fmt::format_to(std::back_inserter(out), "{}m", minutes % 60);
  append_decimal(out, magnitude % (60 * nanoseconds_per_second), 9);
  return out + 's';
}

}  // namespace muster
