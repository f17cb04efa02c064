// Pool<T>: room for values that come and go, and of which many come one behind the other. They lie
// side by side in the order in which they came, so that the next one's memory is there before it is
// asked for; what is given back is used again, and nothing is given back to the heap.
//
//   Pool<Reservation> reservations;
//   Pooled<Reservation> mine;           // a pointer's room; reads as Reservation() while it is
//   unset mine.make(reservations).slots = …; mine.reset();
//
// Assumes: the pool outlives what it made, and stays where it is; all of one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/check.h"
#include "core/model/expect_memory.h"

namespace muster::core {

template <class T>
class Pooled;

template <class T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

 private:
  friend class Pooled<T>;
  static constexpr std::size_t pieces_in_block = 32;

  struct Piece {
    Pool* home;   // while it is in use
    Piece* next;  // while it is free
    alignas(T) std::byte room[sizeof(T)];

    T& value() { return *std::launder(reinterpret_cast<T*>(room)); }
  };

  Piece* take() {
    if (free_ == nullptr) grow();
    Piece* const piece = std::exchange(free_, free_->next);
    new (piece->room) T();
    piece->home = this;
    return piece;
  }

  static void give_back(Piece* piece) {
    Pool& home = *piece->home;
    piece->value().~T();
    piece->next = std::exchange(home.free_, piece);
  }

  void grow() {
    blocks_.push_back(std::make_unique_for_overwrite<Piece[]>(pieces_in_block));
    Piece* const block = blocks_.back().get();
    for (std::size_t i = pieces_in_block; i-- > 0;) block[i].next = std::exchange(free_, &block[i]);
  }

  std::vector<std::unique_ptr<Piece[]>> blocks_;
  Piece* free_ = nullptr;
};

template <class T>
class Pooled {
 public:
  Pooled() = default;
  Pooled(Pooled&& other) noexcept : piece_(std::exchange(other.piece_, nullptr)) {}
  Pooled& operator=(Pooled&& other) noexcept {
    if (this == &other) return *this;
    reset();
    piece_ = std::exchange(other.piece_, nullptr);
    return *this;
  }
  ~Pooled() { reset(); }

  const T& operator*() const { return piece_ == nullptr ? unset() : piece_->value(); }
  const T* operator->() const { return &**this; }

  // The value, a new one where there is none.
  T& make(Pool<T>& pool) {
    if (piece_ == nullptr) piece_ = pool.take();
    return piece_->value();
  }
  T& edit() {
    CHECK(piece_ != nullptr);
    return piece_->value();
  }

  void reset() {
    if (piece_ != nullptr) Pool<T>::give_back(std::exchange(piece_, nullptr));
  }

  // It will be read soon: it is fetched meanwhile.
  void expect() const { expect_memory(piece_, sizeof(*piece_)); }

 private:
  static const T& unset() {
    static const T value;
    return value;
  }

  typename Pool<T>::Piece* piece_ = nullptr;
};

}  // namespace muster::core
