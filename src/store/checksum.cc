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

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(std::string_view bytes,
                                                                      std::uint32_t before) {
  std::uint64_t value = ~before;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    value = __builtin_ia32_crc32di(value, word);
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
