// SPDX-License-Identifier: Apache-2.0
#include "base/sha1.h"

#include <bit>
#include <cstddef>
#include <span>

namespace muster {

namespace {

constexpr std::size_t block_bytes = 64;

using Chaining = std::array<std::uint32_t, 5>;

// One block of RFC 3174, section 6.1.
void absorb(Chaining& h, std::span<const std::uint8_t, block_bytes> block) {
  std::array<std::uint32_t, 80> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 |
           std::uint32_t{block[4 * i + 2]} << 8 | std::uint32_t{block[4 * i + 3]};
  }
  for (std::size_t i = 16; i < 80; ++i) {
    w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  }
  auto [a, b, c, d, e] = h;
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t f = b ^ c ^ d;
    std::uint32_t k = i < 40 ? 0x6ed9eba1U : 0xca62c1d6U;
    if (i < 20) {
      f = (b & c) | (~b & d);
      k = 0x5a827999U;
    } else if (i >= 40 && i < 60) {
      f = (b & c) | (b & d) | (c & d);
      k = 0x8f1bbcdcU;
    }
    const std::uint32_t next = std::rotl(a, 5) + f + e + w[i] + k;
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  h = {h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e};
}

}  // namespace

Sha1 sha1(std::string_view bytes) {
  Chaining h = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
  std::array<std::uint8_t, block_bytes> block{};
  std::size_t filled = 0;
  const auto push = [&](std::uint8_t byte) {
    block[filled++] = byte;
    if (filled < block_bytes) return;
    absorb(h, block);
    filled = 0;
  };
  for (const char c : bytes) push(static_cast<std::uint8_t>(c));
  push(0x80);
  while (filled != block_bytes - 8) push(0);
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) push(static_cast<std::uint8_t>(bits >> shift));
  Sha1 digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(h[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string hex(const Sha1& digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    text.push_back(digits[byte >> 4]);
    text.push_back(digits[byte & 0x0f]);
  }
  return text;
}

}  // namespace muster
