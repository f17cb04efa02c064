// Numbers as text, the way Go reads and writes them.
//
//   read_decimal("1e3")            // 1000.0
//   write_json_real(1e21, buffer)  // "1e+21"
//
// Internal to this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::objects {

// A decimal number with optional sign, fraction and exponent, which the caller has checked to be
// one. Nothing where it is too large for a double; one that is too small is zero.
std::optional<double> read_decimal(std::string_view text);

// Room that every number fits in.
inline constexpr std::size_t number_text_max = 32;

// Both write to `to` and return the end.
char* write_integer(char* to, std::int64_t value);

// As Go's encoder of JSON, but a number without a fraction gets ".0" so that it stays a real.
char* write_json_real(char* to, double value);

}  // namespace muster::objects
