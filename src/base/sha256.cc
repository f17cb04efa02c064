// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <bit>
#include <cstddef>
#include <span>

namespace muster {

namespace {

constexpr std::size_t block_bytes = 64;

using Chaining = std::array<std::uint32_t, 8>;

// FIPS 180-4, section 4.2.2: the first bits of the fractions of the cube roots of 64 primes.
constexpr std::array<std::uint32_t, 64> constants = {
    0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U,
    0xab1c5ed5U, 0xd807aa98U, 0x12835b01U, 0x243185beU, 0x550c7dc3U, 0x72be5d74U, 0x80deb1feU,
    0x9bdc06a7U, 0xc19bf174U, 0xe49b69c1U, 0xefbe4786U, 0x0fc19dc6U, 0x240ca1ccU, 0x2de92c6fU,
    0x4a7484aaU, 0x5cb0a9dcU, 0x76f988daU, 0x983e5152U, 0xa831c66dU, 0xb00327c8U, 0xbf597fc7U,
    0xc6e00bf3U, 0xd5a79147U, 0x06ca6351U, 0x14292967U, 0x27b70a85U, 0x2e1b2138U, 0x4d2c6dfcU,
    0x53380d13U, 0x650a7354U, 0x766a0abbU, 0x81c2c92eU, 0x92722c85U, 0xa2bfe8a1U, 0xa81a664bU,
    0xc24b8b70U, 0xc76c51a3U, 0xd192e819U, 0xd6990624U, 0xf40e3585U, 0x106aa070U, 0x19a4c116U,
    0x1e376c08U, 0x2748774cU, 0x34b0bcb5U, 0x391c0cb3U, 0x4ed8aa4aU, 0x5b9cca4fU, 0x682e6ff3U,
    0x748f82eeU, 0x78a5636fU, 0x84c87814U, 0x8cc70208U, 0x90befffaU, 0xa4506cebU, 0xbef9a3f7U,
    0xc67178f2U};

// One block, section 6.2.2.
void absorb(Chaining& h, std::span<const std::uint8_t, block_bytes> block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 |
           std::uint32_t{block[4 * i + 2]} << 8 | std::uint32_t{block[4 * i + 3]};
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t near = w[i - 2];
    const std::uint32_t far = w[i - 15];
    w[i] = w[i - 16] + w[i - 7] + (std::rotr(far, 7) ^ std::rotr(far, 18) ^ (far >> 3)) +
           (std::rotr(near, 17) ^ std::rotr(near, 19) ^ (near >> 10));
  }
  Chaining v = h;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    const std::uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    const std::uint32_t first = v[7] + choice + constants[i] + w[i] +
                                (std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25));
    const std::uint32_t second =
        majority + (std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22));
    v = {first + second, v[0], v[1], v[2], v[3] + first, v[4], v[5], v[6]};
  }
  for (std::size_t i = 0; i < h.size(); ++i) h[i] += v[i];
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
  Chaining h = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
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
  Sha256 digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(h[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string hex(const Sha256& digest) {
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
