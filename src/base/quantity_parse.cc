// SPDX-License-Identifier: Apache-2.0
//
// The grammar of quantities. It is Kubernetes' real one, which takes more than its regular
// expression says: ".", "+", "Ki" and "e3" are all zero. Which texts survive as written is decided
// by the same conditions as upstream, because clients see the difference.
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "base/checked.h"
#include "base/quantity.h"

namespace muster {

namespace {

// What an int64 holds for certain. Longer numbers take the wide way.
constexpr std::size_t small_digits_max = 18;
constexpr std::int64_t nano_exponent = -9;

Error wrong_format() {
  return Error::bad_request(
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

Error wrong_suffix() {
  return Error::bad_request("unable to parse quantity's suffix");
}

Error wrong_number() {
  return Error::bad_request("unable to parse numeric part of quantity");
}

struct Suffix {
  bool is_binary = false;     // the base is 2, else 10
  std::int32_t exponent = 0;  // of that base
  QuantityFormat format = QuantityFormat::decimal_si;
};

// Nothing for what is not a name of the two SI families.
std::optional<Suffix> named_suffix(std::string_view text) {
  constexpr std::string_view decimal_names = "num kMGTPE";  // the blank is no suffix's name
  constexpr std::string_view binary_names = "KMGTPE";
  if (text.empty()) return Suffix{};
  if (text.size() == 1 && text[0] != ' ') {
    const std::size_t index = decimal_names.find(text[0]);
    if (index == std::string_view::npos) return std::nullopt;
    return Suffix{false, 3 * static_cast<std::int32_t>(index) - 9, QuantityFormat::decimal_si};
  }
  if (text.size() == 2 && text[1] == 'i') {
    const std::size_t index = binary_names.find(text[0]);
    if (index == std::string_view::npos) return std::nullopt;
    return Suffix{true, 10 * static_cast<std::int32_t>(index) + 10, QuantityFormat::binary_si};
  }
  return std::nullopt;
}

Result<Suffix> exponent_suffix(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return wrong_suffix();
  text.remove_prefix(1);
  if (text[0] == '+') {
    text.remove_prefix(1);
    if (text.empty() || text[0] == '-') return wrong_suffix();
  }
  std::int64_t exponent = 0;
  const auto outcome = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (outcome.ec != std::errc() || outcome.ptr != text.data() + text.size()) {
    return wrong_suffix();
  }
  if (exponent > quantity_digits_max || exponent < -quantity_digits_max) {
    return Error::too_large("the exponent of a quantity must lie between -1000 and 1000");
  }
  return Suffix{false, static_cast<std::int32_t>(exponent), QuantityFormat::decimal_exponent};
}

bool is_suffix_letter(char c) {
  constexpr std::string_view letters = "eEinumkKMGTP";
  return letters.find(c) != std::string_view::npos;
}

std::string_view take_digits(std::string_view& rest) {
  std::size_t count = 0;
  while (count < rest.size() && is_digit(rest[count])) ++count;
  const std::string_view digits = rest.substr(0, count);
  rest.remove_prefix(count);
  return digits;
}

}  // namespace

class QuantityParser {
 public:
  static Result<Quantity> parse(std::string_view text) {
    if (text.empty()) return wrong_format();
    if (text.size() > quantity_text_bytes_max) {
      return Error::too_large("a quantity must not be longer than 1024 bytes");
    }
    QuantityParser parser(text);
    if (!parser.split()) return wrong_format();
    const auto named = named_suffix(parser.suffix_text_);
    parser.suffix_ = named ? *named : TRY(exponent_suffix(parser.suffix_text_));
    Quantity result;
    if (!parser.read_small(result)) {
      if (!parser.has_digit_) return wrong_number();
      parser.read_wide(result);
    }
    if (has_too_many_digits(result)) {
      return Error::too_large("a quantity must be smaller than 1e1000");
    }
    return result;
  }

 private:
  explicit QuantityParser(std::string_view text) : text_(text) {}

  // So every text that is accepted has a canonical form that is accepted.
  static bool has_too_many_digits(const Quantity& quantity) {
    constexpr std::int64_t int64_digits = 19;
    if (!quantity.is_wide() && quantity.exponent_ <= quantity_digits_max - int64_digits) {
      return false;
    }
    const auto digits = static_cast<std::int64_t>(quantity.big_mantissa().digit_count());
    return digits > 0 && digits + quantity.exponent_ > quantity_digits_max;
  }

  // sign, zeros, digits, point, digits, suffix. False when something else is left over.
  bool split() {
    std::string_view rest = text_;
    if (rest[0] == '-' || rest[0] == '+') {
      is_negative_ = rest[0] == '-';
      rest.remove_prefix(1);
    }
    whole_ = take_digits(rest);
    if (!rest.empty() && rest[0] == '.') {
      rest.remove_prefix(1);
      fraction_ = take_digits(rest);
    }
    has_digit_ = !whole_.empty() || !fraction_.empty();
    whole_.remove_prefix(std::min(whole_.find_first_not_of('0'), whole_.size()));
    suffix_text_ = rest;
    while (!rest.empty() && is_suffix_letter(rest[0])) rest.remove_prefix(1);
    if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
    take_digits(rest);
    return rest.empty();
  }

  // The way of nearly every quantity: an int64 and a power of ten. False when it may not fit.
  // The limits on digits are upstream's, because they also decide which texts survive.
  bool read_small(Quantity& result) {
    const std::size_t whole_digits = std::max<std::size_t>(whole_.size(), 1);
    std::int64_t factor = 1;
    std::int64_t exponent = suffix_.exponent;
    if (suffix_.is_binary) {
      const auto suffix_digits = static_cast<std::size_t>(suffix_.exponent) * 3 / 10;
      if (!fraction_.empty() || whole_digits + suffix_digits > 14) return false;
      factor = std::int64_t{1} << suffix_.exponent;
      exponent = 0;
    } else if (whole_digits + fraction_.size() > small_digits_max) {
      return false;
    }
    exponent -= static_cast<std::int64_t>(fraction_.size());
    if (exponent < nano_exponent) return false;

    std::int64_t number = 0;
    for (const std::string_view digits : {whole_, fraction_}) {
      for (const char digit : digits) number = number * 10 + (digit - '0');
    }
    const auto product = checked_multiply(number, factor);
    if (!product) return false;
    result.set_small(is_negative_ ? -*product : *product, static_cast<std::int32_t>(exponent));
    result.format_ = suffix_.format;
    if (text_survives(number, exponent) && !is_canonical(result)) result.keep_text(text_);
    return true;
  }

  // Upstream takes these for canonical without looking closer, so "010" and "1.500" stay.
  bool text_survives(std::int64_t number, std::int64_t exponent) const {
    if (suffix_.is_binary) return number % 8 != 0;
    return exponent % 3 == 0 && !whole_.empty() && number % 1000 != 0;
  }

  // Of a text that survives. With a named suffix nothing can differ but a plus, leading zeros and
  // a point; printing and comparing would say the same, slower.
  bool is_canonical(const Quantity& result) const {
    if (suffix_.format == QuantityFormat::decimal_exponent) return result.canonical() == text_;
    const std::size_t sign_size = is_negative_ ? 1 : 0;
    return text_.size() == sign_size + whole_.size() + suffix_text_.size();
  }

  void read_wide(Quantity& result) {
    BigInteger number = BigInteger::from_digits(std::string(whole_).append(fraction_));
    auto exponent = -static_cast<std::int64_t>(fraction_.size());
    result.format_ = suffix_.format;
    if (suffix_.is_binary) {
      for (std::int32_t bits = 0; bits < suffix_.exponent; bits += 10) number.multiply(1024);
    } else {
      exponent += suffix_.exponent;
    }
    if (exponent < nano_exponent && !number.is_zero()) {
      if (!number.shift_right(static_cast<std::size_t>(nano_exponent - exponent))) {
        number.grow_magnitude(1);
      }
      exponent = nano_exponent;
    }
    result.set_wide(std::move(number), static_cast<std::int32_t>(exponent));
    if (suffix_.is_binary) limit_binary(result);
    if (is_negative_) result = -result;
  }

  // Binary suffixes end at 2^63 - 1; below one they are decimal ones.
  static void limit_binary(Quantity& magnitude) {
    constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
    if (magnitude > Quantity::of(highest)) magnitude.set_small(highest, 0);
    if (!magnitude.is_zero() && magnitude < Quantity::of(1)) {
      magnitude.format_ = QuantityFormat::decimal_si;
    }
  }

  std::string_view text_;
  std::string_view whole_;  // without leading zeros
  std::string_view fraction_;
  std::string_view suffix_text_;
  Suffix suffix_;
  bool is_negative_ = false;
  bool has_digit_ = false;
};

Result<Quantity> Quantity::parse(std::string_view text) {
  return QuantityParser::parse(text);
}

Result<Quantity> Quantity::parse_field(std::string_view text) {
  constexpr std::string_view spaces = " \t\n\v\f\r";
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  text.remove_suffix(text.size() - (text.find_last_not_of(spaces) + 1));
  return QuantityParser::parse(text);
}

}  // namespace muster
