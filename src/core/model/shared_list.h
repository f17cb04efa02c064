// SharedList<T>: a list that was made once and is shared by everybody who has the same. It takes a
// pointer's room and lies in one piece of memory; copying copies the pointer; nobody changes it.
//
//   SharedList<GangPodSet> sets(std::move(read));
//   SharedList<GangPodSet> same = sets;
//   same.is(sets);                             // true, without looking inside
//
// Assumes: all who share it are of one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "core/model/expect_memory.h"

namespace muster::core {

template <class T>
class SharedList {
 public:
  using List = std::vector<T>;

  SharedList() = default;  // empty
  explicit SharedList(List list) {
    static_assert(alignof(T) <= alignof(Head));
    if (list.empty()) return;
    void* const memory = ::operator new(sizeof(Head) + list.size() * sizeof(T));
    head_ = new (memory) Head{.holders = 1, .size = static_cast<std::uint32_t>(list.size())};
    std::uninitialized_move(list.begin(), list.end(), data());
  }
  SharedList(const SharedList& other) : head_(other.head_) {
    if (head_ != nullptr) ++head_->holders;
  }
  SharedList(SharedList&& other) noexcept : head_(std::exchange(other.head_, nullptr)) {}
  SharedList& operator=(const SharedList& other) {
    if (this == &other) return *this;
    SharedList copy(other);
    std::swap(head_, copy.head_);
    return *this;
  }
  SharedList& operator=(SharedList&& other) noexcept {
    std::swap(head_, other.head_);
    return *this;
  }
  ~SharedList() {
    if (head_ == nullptr || --head_->holders > 0) return;
    std::destroy_n(data(), head_->size);
    ::operator delete(head_);
  }

  const T* begin() const { return head_ == nullptr ? nullptr : data(); }
  const T* end() const { return begin() + size(); }
  std::size_t size() const { return head_ == nullptr ? 0 : head_->size; }
  bool empty() const { return head_ == nullptr; }
  const T& operator[](std::size_t index) const { return std::span(*this)[index]; }

  bool is(const SharedList& other) const { return head_ == other.head_; }
  friend bool operator==(const SharedList& a, const SharedList& b) {
    return a.is(b) || std::ranges::equal(a, b);
  }

  // It will be read soon: the first of it is fetched meanwhile.
  void expect() const { expect_memory(head_, sizeof(Head) + sizeof(T)); }

 private:
  struct alignas(std::max_align_t) Head {
    std::uint32_t holders = 0;
    std::uint32_t size = 0;
  };

  T* data() const { return reinterpret_cast<T*>(head_ + 1); }

  Head* head_ = nullptr;  // the elements lie behind it
};

}  // namespace muster::core
