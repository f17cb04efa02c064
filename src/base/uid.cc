// SPDX-License-Identifier: Apache-2.0
#include "base/uid.h"

#include <array>

namespace muster {

std::string make_uid(Random& random) {
  std::array<std::byte, 16> bytes{};
  random.fill(bytes);
  bytes[6] = (bytes[6] & std::byte{0x0f}) | std::byte{0x40};  // version 4
  bytes[8] = (bytes[8] & std::byte{0x3f}) | std::byte{0x80};  // variant 1
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(uid_length);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text.push_back('-');
    text.push_back(digits[std::to_integer<std::size_t>(bytes[i] >> 4)]);
    text.push_back(digits[std::to_integer<std::size_t>(bytes[i] & std::byte{0x0f})]);
  }
  return text;
}

std::string name_suffix(Random& random) {
  constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix(name_suffix_length, ' ');
  for (char& c : suffix) c = letters[static_cast<std::size_t>(random.below(letters.size()))];
  return suffix;
}

std::string generate_name(std::string_view base, Random& random) {
  return std::string(base.substr(0, generated_name_length_max - name_suffix_length)) +
         name_suffix(random);
}

}  // namespace muster
