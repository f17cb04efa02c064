// Code points in UTF-8 text, which is how CEL counts and indexes strings. Bytes that are no
// UTF-8 count as one code point each where a sequence would begin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace muster::objects::cel {

inline bool begins_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

inline std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += begins_code_point(c) ? 1U : 0U;
  return count;
}

// The byte at which the code point with this index begins; the size when there are fewer.
inline std::size_t byte_of(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (begins_code_point(text[at]) && index-- == 0) break;
  }
  return at;
}

}  // namespace muster::objects::cel
