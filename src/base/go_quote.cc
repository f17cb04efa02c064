// SPDX-License-Identifier: Apache-2.0
#include "base/go_quote.h"

namespace muster {

std::string go_quote(std::string_view text) {
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x80) {
      out += "\\x";
      out += hexadecimal[byte >> 4U];
      out += hexadecimal[byte & 0xFU];
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  out += '"';
  return out;
}

}  // namespace muster
