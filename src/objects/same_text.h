// is_same_text: whether two texts are equal, and is_text_before: their order, for names. Those are
// short, and a call of memcmp takes longer than to compare them: a few words do it here, the last
// of which may overlap another.
//
//   if (is_same_text(member_key, "metadata")) …
//
// Internal to this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace muster::objects {

namespace same_text_detail {

template <class Word>
bool is_same_word(const char* a, const char* b) {
  Word left;
  Word right;
  std::memcpy(&left, a, sizeof left);
  std::memcpy(&right, b, sizeof right);
  return left == right;
}

// The first word and the last one; between them they have every byte of up to two words.
template <class Word>
bool has_same_ends(const char* a, const char* b, std::size_t size) {
  const std::size_t last = size - sizeof(Word);
  return is_same_word<Word>(a, b) && is_same_word<Word>(a + last, b + last);
}

}  // namespace same_text_detail

inline bool is_same_text(std::string_view left, std::string_view right) {
  using namespace same_text_detail;
  const std::size_t size = left.size();
  if (size != right.size()) return false;
  const char* const a = left.data();
  const char* const b = right.data();
  if (size >= 8) {
    for (std::size_t at = 8; at < size - 8; at += 8) {
      if (!is_same_word<std::uint64_t>(a + at, b + at)) return false;
    }
    return has_same_ends<std::uint64_t>(a, b, size);
  }
  if (size >= 4) return has_same_ends<std::uint32_t>(a, b, size);
  if (size >= 2) return has_same_ends<std::uint16_t>(a, b, size);
  return size == 0 || *a == *b;
}

// Whether one comes before the other, byte by byte: mostly the first eight tell.
inline bool is_text_before(std::string_view left, std::string_view right) {
  if (left.size() >= 8 && right.size() >= 8) {
    std::uint64_t a;
    std::uint64_t b;
    std::memcpy(&a, left.data(), sizeof a);
    std::memcpy(&b, right.data(), sizeof b);
    if (a != b) {
      if constexpr (std::endian::native == std::endian::little) {
        a = __builtin_bswap64(a);
        b = __builtin_bswap64(b);
      }
      return a < b;
    }
    return left.substr(8) < right.substr(8);
  }
  const std::size_t size = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < size; ++i) {
    const auto a = static_cast<unsigned char>(left[i]);
    const auto b = static_cast<unsigned char>(right[i]);
    if (a != b) return a < b;
  }
  return left.size() < right.size();
}

}  // namespace muster::objects
