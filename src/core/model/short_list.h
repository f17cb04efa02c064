// ShortList<T, near>: a list that holds its first few elements in itself, for lists that nearly
// always have one or two: amounts of a pod, flavors of a pod set. Reads and writes like a
// std::vector; only a longer one takes memory of its own.
//
//   using Amounts = ShortList<Amount, 2>;
//   amounts.push_back({cpu, 4'000});
//
// Assumes: T is trivially copyable. As with a vector, what changes the list ends its iterators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

namespace muster::core {

template <class T, std::size_t near_max>
class ShortList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  ShortList() = default;
  ShortList(std::initializer_list<T> items) : ShortList(items.begin(), items.end()) {}
  template <class Iterator>
  ShortList(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(*first);
  }
  ShortList(const ShortList& other) { take(other); }
  ShortList(ShortList&& other) noexcept { take(std::move(other)); }
  ShortList& operator=(const ShortList& other) {
    if (this != &other) take(other);
    return *this;
  }
  ShortList& operator=(ShortList&& other) noexcept {
    if (this != &other) take(std::move(other));
    return *this;
  }
  ~ShortList() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return far_ ? far_.get() : near_.data(); }
  const T* data() const { return far_ ? far_.get() : near_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t index) { return data()[index]; }
  const T& operator[](std::size_t index) const { return data()[index]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void reserve(std::size_t wanted) {
    if (wanted <= capacity_) return;
    auto more = std::make_unique<T[]>(wanted);
    std::copy(begin(), end(), more.get());
    far_ = std::move(more);
    capacity_ = static_cast<std::uint32_t>(wanted);
  }

  void push_back(const T& item) {
    const T copy = item;  // may be one of these
    if (size_ == capacity_) reserve(std::size_t{capacity_} * 2);
    data()[size_++] = copy;
  }

  T* insert(const T* place, const T& item) {
    const std::ptrdiff_t at = place - begin();
    push_back(item);
    std::rotate(begin() + at, end() - 1, end());
    return begin() + at;
  }

  T* erase(const T* place) { return erase(place, place + 1); }
  T* erase(const T* first, const T* last) {
    T* const gap = begin() + (first - begin());
    std::copy(last, static_cast<const T*>(end()), gap);
    size_ -= static_cast<std::uint32_t>(last - first);
    return gap;
  }

  void clear() { size_ = 0; }

  friend bool operator==(const ShortList& a, const ShortList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void take(const ShortList& other) {
    if (!far_ && !other.far_) {
      near_ = other.near_;  // a few words, whatever the size
    } else {
      size_ = 0;
      reserve(other.size_);
      std::copy(other.begin(), other.end(), begin());
    }
    size_ = other.size_;
  }

  void take(ShortList&& other) {
    if (other.far_) {
      far_ = std::move(other.far_);
      capacity_ = std::exchange(other.capacity_, static_cast<std::uint32_t>(near_max));
      size_ = other.size_;
    } else {
      take(std::as_const(other));
    }
    other.size_ = 0;
  }

  std::unique_ptr<T[]> far_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = near_max;
  std::array<T, near_max> near_ = {};
};

}  // namespace muster::core
