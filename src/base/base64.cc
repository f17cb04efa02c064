// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <fmt/format.h>

#include <cstdint>

namespace muster {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

Error illegal(std::size_t at) {
  return Error::bad_request(fmt::format("illegal base64 data at input byte {}", at));
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8U | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint32_t digit = bits >> (18U - 6U * static_cast<unsigned>(i)) & 63U;
      out += i <= group.size() ? alphabet[digit] : '=';
    }
  }
  return out;
}

Result<std::string> base64_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  unsigned digits = 0;
  unsigned padding = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n' || c == '\r') continue;
    if (padding != 0 && digits == 0) return illegal(at);  // something after the end
    if (c == '=') {
      if (digits < 2) return illegal(at);
      ++padding;
    } else {
      const std::size_t digit = alphabet.find(c);
      if (digit == std::string_view::npos || padding != 0) return illegal(at);
      bits = bits << 6U | static_cast<std::uint32_t>(digit);
    }
    if (++digits < 4) continue;
    bits <<= 6U * padding;
    if ((bits & ((1U << 8U * padding) - 1U)) != 0) return illegal(at);
    for (unsigned i = 0; i + padding < 3; ++i) {
      out += static_cast<char>(bits >> (16U - 8U * i) & 0xFFU);
    }
    bits = 0;
    digits = 0;
  }
  if (digits != 0) return illegal(text.size());
  return out;
}

}  // namespace muster
