// SPDX-License-Identifier: Apache-2.0
#include "objects/text_place.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::objects {

namespace {

// Bytes of the UTF-8 sequence at the front, or 0 where there is none: overlong forms, surrogates
// and what lies beyond U+10FFFF are none.
std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead < 0xC2   ? 0
                           : lead < 0xE0 ? 2
                           : lead < 0xF0 ? 3
                           : lead < 0xF5 ? 4
                                         : 0;
  if (size == 0 || text.size() < size) return 0;
  // The second byte tells the forms apart that the first one leaves open.
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return size;
}

}  // namespace

std::string place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto breaks = std::count(before.begin(), before.end(), '\n');
  const std::size_t last_break = before.rfind('\n');
  const std::size_t line_begin = last_break == std::string_view::npos ? 0 : last_break + 1;
  return fmt::format("line {}, column {}", breaks + 1, before.size() - line_begin + 1);
}

std::size_t valid_utf8_bytes(std::string_view text) {
  std::size_t valid = 0;
  while (valid < text.size()) {
    const std::size_t size = utf8_sequence(text.substr(valid));
    if (size == 0) break;
    valid += size;
  }
  return valid;
}

}  // namespace muster::objects
