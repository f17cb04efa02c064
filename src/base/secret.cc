// SPDX-License-Identifier: Apache-2.0
#include "base/secret.h"

#include <ostream>
#include <utility>

namespace muster {

// A short string's bytes stay behind in the moved-from object, so both moves wipe it.
Secret::Secret(Secret&& other) noexcept : text_(std::move(other.text_)) {
  other.wipe();
}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    wipe();
    text_ = std::move(other.text_);
    other.wipe();
  }
  return *this;
}

bool Secret::matches(std::string_view presented) const {
  if (presented.size() != text_.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    difference |= static_cast<unsigned char>(presented[i] ^ text_[i]);
  }
  return difference == 0;
}

std::ostream& operator<<(std::ostream& out, const Secret&) {
  return out << redacted_text;
}

void Secret::wipe() noexcept {
  // Through volatile, because the compiler may drop writes to what nobody reads again.
  text_.resize(text_.capacity());
  volatile char* bytes = text_.data();
  for (std::size_t i = 0; i < text_.size(); ++i) bytes[i] = 0;
  text_.clear();
}

}  // namespace muster
