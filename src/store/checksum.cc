// SPDX-License-Identifier: Apache-2.0
#include "store/checksum.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace muster::store {

namespace {

constexpr std::uint32_t polynomial = 0x82F63B78;  // reflected

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

// tables[k][b]: what byte b does to the checksum when k zero bytes follow it.
constexpr Table make_tables() {
  Table tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1U) != 0 ? polynomial : 0);
    tables[0][byte] = value;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t value = tables[k - 1][byte];
      tables[k][byte] = (value >> 8) ^ tables[0][value & 0xFF];
    }
  }
  return tables;
}

constexpr Table tables = make_tables();

std::uint64_t load_little_endian(const char* from) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
  }
  return value;
}

// One instruction waits three cycles for the last, so three stretches are summed at once. Their
// sums are put together by what follows the earlier ones: what a stretch of zeros does to a sum,
// byte by byte of it.
constexpr std::size_t stretch_bytes = 256;

using StretchTable = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr StretchTable make_stretch_table() {
  std::array<std::uint32_t, 32> of_bit{};
  for (std::size_t bit = 0; bit < of_bit.size(); ++bit) {
    std::uint32_t value = std::uint32_t{1} << bit;
    for (std::size_t i = 0; i < stretch_bytes; ++i) {
      value = (value >> 8) ^ tables[0][value & 0xFF];
    }
    of_bit[bit] = value;
  }
  StretchTable all{};
  for (std::size_t place = 0; place < all.size(); ++place) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      for (std::size_t bit = 0; bit < 8; ++bit) {
        if ((byte >> bit & 1U) != 0) all[place][byte] ^= of_bit[place * 8 + bit];
      }
    }
  }
  return all;
}

constexpr StretchTable stretch_table = make_stretch_table();

std::uint32_t after_stretch(std::uint32_t value) {
  return stretch_table[0][value & 0xFF] ^ stretch_table[1][value >> 8 & 0xFF] ^
         stretch_table[2][value >> 16 & 0xFF] ^ stretch_table[3][value >> 24];
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(std::string_view bytes,
                                                                      std::uint32_t before) {
  std::uint64_t value = ~before;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  const auto word_at = [](const char* from) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, sizeof(word));
    return word;
  };
  for (; left >= 3 * stretch_bytes; at += 3 * stretch_bytes, left -= 3 * stretch_bytes) {
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < stretch_bytes; i += 8) {
      value = __builtin_ia32_crc32di(value, word_at(at + i));
      second = __builtin_ia32_crc32di(second, word_at(at + stretch_bytes + i));
      third = __builtin_ia32_crc32di(third, word_at(at + 2 * stretch_bytes + i));
    }
    const std::uint32_t two =
        after_stretch(static_cast<std::uint32_t>(value)) ^ static_cast<std::uint32_t>(second);
    value = after_stretch(two) ^ static_cast<std::uint32_t>(third);
  }
  for (; left >= 8; at += 8, left -= 8) {
    value = __builtin_ia32_crc32di(value, word_at(at));
  }
  auto rest = static_cast<std::uint32_t>(value);
  for (; left > 0; ++at, --left) {
    rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(*at));
  }
  return ~rest;
}
#endif

}  // namespace

std::uint32_t crc32c_by_table(std::string_view bytes, std::uint32_t before) {
  std::uint32_t value = ~before;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    const std::uint64_t word = load_little_endian(at) ^ value;
    value = 0;
    for (unsigned k = 0; k < 8; ++k) value ^= tables[7 - k][(word >> (8 * k)) & 0xFF];
  }
  for (; left > 0; ++at, --left) {
    value = (value >> 8) ^ tables[0][(value ^ static_cast<unsigned char>(*at)) & 0xFF];
  }
  return ~value;
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return crc32c_by_instruction(bytes, before);
#endif
  return crc32c_by_table(bytes, before);
}

}  // namespace muster::store
