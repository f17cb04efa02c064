// Outcome<T>: a T, or the Failure with which the server answers instead (server/status.h). It is to
// a Failure what Result is to an Error; an Error becomes a Failure by itself.
//
//   Outcome<Value> read(const Target& target) {
//     if (!found) return not_found(target);
//     Value object = ALLOWED(decoded(body));      // returns the failure from this function
//     return object;
//   }
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "server/status.h"

namespace muster::server {

template <class T = void>
class [[nodiscard]] Outcome : public tl::expected<T, Failure> {
 public:
  using tl::expected<T, Failure>::expected;
  Outcome(Failure failure)
      : tl::expected<T, Failure>(tl::unexpected<Failure>(std::move(failure))) {}
  Outcome(const Error& error) : Outcome(Failure(error)) {}

  T take() && {
    if constexpr (!std::is_void_v<T>) return std::move(**this);
  }
};

}  // namespace muster::server

// Evaluates to the value, or returns the failure from the enclosing function. Never inside a braced
// initializer, as with TRY.
#define ALLOWED(...)                                                                   \
  (__extension__({                                                                     \
    auto&& allowed_ = (__VA_ARGS__);                                                   \
    if (!allowed_) [[unlikely]]                                                        \
      return ::tl::unexpected<::muster::server::Failure>(std::move(allowed_).error()); \
    std::move(allowed_).take();                                                        \
  }))
