// UniqueFunction<R(A…)>: a callable that may own what cannot be copied. It is moved, called and
// dropped; it is never copied and never compared. (std::move_only_function is C++23.) What fits
// into five pointers lives inside, because tasks cross threads by the million and an allocation
// freed on another thread is the dearest part of such a trip; the rest lives on the heap.
//
//   UniqueFunction<int(int)> twice = [owned = std::move(pointer)](int n) { return 2 * n; };
//   if (twice) twice(21);
//
// Assumes: calling an empty one is a bug; a callable may move or drop its own function only as
// the last thing it does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace muster {

template <class Signature>
class UniqueFunction;

template <class R, class... Args>
class UniqueFunction<R(Args...)> {
 public:
  UniqueFunction() = default;
  UniqueFunction(std::nullptr_t) {}

  template <class Body>
  requires(!std::same_as<Body, UniqueFunction> && std::is_invocable_r_v<R, Body&, Args...>)
      UniqueFunction(Body body)
      : verbs_(&verbs_of<Body>) {
    if constexpr (fits<Body>) {
      ::new (place()) Body(std::move(body));
    } else {
      ::new (place()) Body*(std::make_unique<Body>(std::move(body)).release());
    }
  }

  UniqueFunction(UniqueFunction&& other) noexcept { take(other); }
  UniqueFunction& operator=(UniqueFunction&& other) noexcept {
    if (this != &other) {
      drop();
      take(other);
    }
    return *this;
  }
  ~UniqueFunction() { drop(); }

  explicit operator bool() const { return verbs_ != nullptr; }

  R operator()(Args... args) {
    CHECK(verbs_ != nullptr);
    return verbs_->call(place(), std::forward<Args>(args)...);
  }

 private:
  static constexpr std::size_t inside_bytes = 5 * sizeof(void*);

  // What can be done with the bytes inside. No move: they may be copied as bytes. No drop:
  // nothing needs to be done.
  struct Verbs {
    R (*call)(void* inside, Args&&... args);
    void (*move)(void* from, void* to) noexcept;
    void (*drop)(void* inside) noexcept;
  };

  template <class Body>
  static constexpr bool has_room = sizeof(Body) <= inside_bytes;
  template <class Body>
  static constexpr bool is_aligned = alignof(Body) <= alignof(void*);
  template <class Body>
  static constexpr bool fits =
      has_room<Body>&& is_aligned<Body>&& std::is_nothrow_move_constructible_v<Body>;

  template <class Body>
  static Body& body_in(void* inside) {
    if constexpr (fits<Body>) {
      return *std::launder(static_cast<Body*>(inside));
    } else {
      return **std::launder(static_cast<Body**>(inside));
    }
  }

  template <class Body>
  static R call_body(void* inside, Args&&... args) {
    return body_in<Body>(inside)(std::forward<Args>(args)...);
  }

  template <class Body>
  static void move_body(void* from, void* to) noexcept {
    ::new (to) Body(std::move(body_in<Body>(from)));
    std::destroy_at(&body_in<Body>(from));
  }

  template <class Body>
  static void drop_body(void* inside) noexcept {
    if constexpr (fits<Body>) {
      std::destroy_at(&body_in<Body>(inside));
    } else {
      const std::unique_ptr<Body> owner(&body_in<Body>(inside));
    }
  }

  // A body on the heap moves by its pointer, whatever it is.
  template <class Body>
  static constexpr bool moves_as_bytes = !fits<Body> || std::is_trivially_copyable_v<Body>;
  template <class Body>
  static constexpr bool drops_by_itself = fits<Body>&& std::is_trivially_destructible_v<Body>;

  template <class Body>
  static constexpr Verbs verbs_of = {&call_body<Body>,
                                     moves_as_bytes<Body> ? nullptr : &move_body<Body>,
                                     drops_by_itself<Body> ? nullptr : &drop_body<Body>};

  void* place() { return inside_; }

  void take(UniqueFunction& other) noexcept {
    verbs_ = std::exchange(other.verbs_, nullptr);
    if (verbs_ == nullptr) return;
    if (verbs_->move == nullptr) {
      std::memcpy(inside_, other.inside_, inside_bytes);
    } else {
      verbs_->move(other.inside_, inside_);
    }
  }

  // Empty first: what the body owns may look at this function as it dies.
  void drop() noexcept {
    const Verbs* verbs = std::exchange(verbs_, nullptr);
    if (verbs != nullptr && verbs->drop != nullptr) verbs->drop(inside_);
  }

  const Verbs* verbs_ = nullptr;
  alignas(void*) std::byte inside_[inside_bytes];
};

}  // namespace muster
