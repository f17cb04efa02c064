// SPDX-License-Identifier: Apache-2.0
#include "base/uid.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace muster {

namespace {

// The next values of another one, as many as a suffix takes, drawn at once: each draw asks the
// operating system. Of more it is asked one by one.
class DrawnAtOnce final : public Random {
 public:
  explicit DrawnAtOnce(Random& from) : from_(from) {
    from.fill(std::as_writable_bytes(std::span(values_)));
  }

  std::uint64_t next() override { return at_ < values_.size() ? values_[at_++] : from_.next(); }
  void fill(std::span<std::byte> bytes) override { from_.fill(bytes); }

 private:
  Random& from_;
  std::array<std::uint64_t, name_suffix_length> values_{};
  std::size_t at_ = 0;
};

}  // namespace

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
  DrawnAtOnce drawn(random);
  std::string suffix(name_suffix_length, ' ');
  for (char& c : suffix) c = letters[static_cast<std::size_t>(drawn.below(letters.size()))];
  return suffix;
}

std::string generate_name(std::string_view base, Random& random) {
  return std::string(base.substr(0, generated_name_length_max - name_suffix_length)) +
         name_suffix(random);
}

}  // namespace muster
