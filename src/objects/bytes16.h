// Sixteen bytes of text looked at together: copied, and searched for the characters that end a run
// that can be written as it is. SSE2 where the machine has it, which on x86-64 is always; a plain
// loop elsewhere.
//
//   const Bytes16 bytes(from);              // reads 16 bytes
//   bytes.store(to);                        // writes 16 bytes
//   const unsigned run = bytes.until_escape_candidate();   // 16 where there is none
//
// Internal to this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace muster::objects {

// What a JSON writer may not copy as it is: quote, backslash and control characters; <, > and &,
// as Go writes them; and 0xE2, with which U+2028 and U+2029 begin.
constexpr bool is_escape_candidate(unsigned char byte) {
  return byte < 0x20 || byte == '"' || byte == '\\' || byte == '<' || byte == '>' || byte == '&' ||
         byte == 0xE2;
}

#if defined(__SSE2__)

class Bytes16 {
 public:
  explicit Bytes16(const char* from) { std::memcpy(&bytes_, from, sizeof(bytes_)); }

  // Eight from here and eight from there.
  Bytes16(const char* low, const char* high) {
    long long words[2];
    std::memcpy(&words[0], low, 8);
    std::memcpy(&words[1], high, 8);
    bytes_ = _mm_set_epi64x(words[1], words[0]);
  }

  // Two times four, twice.
  Bytes16(std::uint32_t low, std::uint32_t high) {
    const auto word = static_cast<long long>(std::uint64_t{high} << 32U | low);
    bytes_ = _mm_set1_epi64x(word);
  }

  void store(char* to) const { std::memcpy(to, &bytes_, sizeof(bytes_)); }

  unsigned until_escape_candidate() const {
    // Two characters that differ in one bit are found by one comparison without that bit:
    // " and & in 0x04, < and > in 0x02.
    const __m128i quote_or_ampersand = equal(without(0x04), '"');
    const __m128i angle = equal(without(0x02), '<');
    const __m128i rest = _mm_or_si128(equal(bytes_, '\\'), equal(bytes_, '\xE2'));
    const __m128i highest_control = _mm_set1_epi8(0x1F);
    const __m128i control = _mm_cmpeq_epi8(_mm_max_epu8(bytes_, highest_control), highest_control);
    return first(
        _mm_or_si128(_mm_or_si128(quote_or_ampersand, angle), _mm_or_si128(rest, control)));
  }

 private:
  static __m128i equal(__m128i bytes, char wanted) {
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted));
  }

  __m128i without(char bit) const { return _mm_andnot_si128(_mm_set1_epi8(bit), bytes_); }

  static unsigned first(__m128i found) {
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
    return static_cast<unsigned>(std::countr_zero(mask | 0x10000U));
  }

  __m128i bytes_;
};

#else

class Bytes16 {
 public:
  explicit Bytes16(const char* from) { std::memcpy(bytes_, from, sizeof(bytes_)); }

  Bytes16(const char* low, const char* high) {
    std::memcpy(bytes_, low, 8);
    std::memcpy(bytes_ + 8, high, 8);
  }

  Bytes16(std::uint32_t low, std::uint32_t high) {
    const std::uint32_t words[4] = {low, high, low, high};
    std::memcpy(bytes_, words, sizeof(bytes_));
  }

  void store(char* to) const { std::memcpy(to, bytes_, sizeof(bytes_)); }

  unsigned until_escape_candidate() const {
    unsigned i = 0;
    while (i < sizeof(bytes_) && !is_escape_candidate(static_cast<unsigned char>(bytes_[i]))) ++i;
    return i;
  }

 private:
  char bytes_[16];
};

#endif

}  // namespace muster::objects
