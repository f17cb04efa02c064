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

}  // namespace muster
