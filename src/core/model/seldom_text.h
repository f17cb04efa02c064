// SeldomText: a text that is nearly always empty, in the room of a pointer. For the rows, of which
// there are many.
//
//   SeldomText invalid;
//   invalid = "spec.podSets: must be a count of pods";
//   if (!invalid.empty()) print(invalid.view());
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace muster::core {

class SeldomText {
 public:
  SeldomText() = default;
  SeldomText(const SeldomText& other) { *this = other.view(); }
  SeldomText(SeldomText&&) noexcept = default;
  SeldomText& operator=(const SeldomText& other) {
    if (this != &other) *this = other.view();
    return *this;
  }
  SeldomText& operator=(SeldomText&&) noexcept = default;
  SeldomText& operator=(std::string_view text) {
    if (text.empty()) {
      clear();
      return *this;
    }
    const std::size_t size = text.size();
    auto bytes = std::make_unique_for_overwrite<char[]>(sizeof(size) + size);
    std::memcpy(bytes.get(), &size, sizeof(size));
    std::memcpy(bytes.get() + sizeof(size), text.data(), size);
    bytes_ = std::move(bytes);
    return *this;
  }
  ~SeldomText() = default;

  bool empty() const { return bytes_ == nullptr; }
  void clear() { bytes_.reset(); }

  std::string_view view() const {
    if (empty()) return {};
    std::size_t size = 0;
    std::memcpy(&size, bytes_.get(), sizeof(size));
    return {bytes_.get() + sizeof(size), size};
  }

 private:
  std::unique_ptr<char[]> bytes_;  // its size, then its letters
};

}  // namespace muster::core
