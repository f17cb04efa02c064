// Bytes: immutable bytes that many may hold, on any thread; one pointer wide, one allocation. A
// value is serialised once and then shared by the index, the history, every list and every watch.
// None (default) and empty are different: none stands for "there is no value".
//
//   const Bytes value = Bytes::copy_of(R"({"kind":"Pod"})");
//   value.view();
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace muster::store {

class Bytes {
 public:
  Bytes() = default;  // none
  Bytes(const Bytes& other) : header_(other.header_) { hold(); }
  Bytes(Bytes&& other) noexcept : header_(std::exchange(other.header_, nullptr)) {}
  Bytes& operator=(Bytes other) noexcept {
    std::swap(header_, other.header_);
    return *this;
  }
  ~Bytes() {
    if (header_ != nullptr) release();
  }

  // At most 4 GiB - 1; the store's own limits are far below.
  static Bytes copy_of(std::string_view bytes) { return joined({bytes}); }
  // One behind the other.
  static Bytes joined(std::initializer_list<std::string_view> parts);

  bool is_none() const { return header_ == nullptr; }
  std::size_t size() const { return header_ == nullptr ? 0 : header_->size; }
  std::string_view view() const {
    return header_ == nullptr
               ? std::string_view()
               : std::string_view(reinterpret_cast<const char*>(header_ + 1), size());
  }

  // Both none, or the same bytes.
  friend bool operator==(const Bytes& a, const Bytes& b) {
    return a.is_none() == b.is_none() && a.view() == b.view();
  }

  // For loops over many: brings the reference count near before it is needed.
  void prefetch() const { __builtin_prefetch(header_, 1); }

 private:
  // The bytes follow it.
  struct Header {
    std::atomic<std::uint32_t> holders;
    std::uint32_t size;
  };

  void hold() const {
    if (header_ != nullptr) header_->holders.fetch_add(1, std::memory_order_relaxed);
  }
  void release();  // not none

  Header* header_ = nullptr;
};

}  // namespace muster::store
