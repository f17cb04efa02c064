// UTF-8, one code point at a time: for text that must be shown or exported whatever its bytes are.
//
//   const CodePoint point = first_code_point(rest);
//   if (point.size == 0) …                    // the first byte starts nothing valid
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 0;  // in bytes; 0 when the bytes are damaged
};

// The text must not be empty. Overlong forms, surrogates and values beyond U+10FFFF are damage.
CodePoint first_code_point(std::string_view text);

// The text with each damaged byte replaced by U+FFFD.
std::string repaired_utf8(std::string_view text);

// At most U+10FFFF and no surrogate.
constexpr bool is_code_point(std::uint32_t value) {
  return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

// Writes a code point, at most four bytes, and returns the end. is_code_point must hold.
char* write_utf8(char* to, std::uint32_t point);
void append_utf8(std::uint32_t point, std::string& out);

}  // namespace muster
