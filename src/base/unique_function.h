// UniqueFunction<R(A…)>: a callable that may own what cannot be copied. It is moved, called and
// dropped; it is never copied and never compared. (std::move_only_function is C++23.)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
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

  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, UniqueFunction> &&
           std::is_invocable_r_v<R, std::decay_t<F>&, Args...>) UniqueFunction(F&& callable)
      : body_(std::make_unique<Body<std::decay_t<F>>>(std::forward<F>(callable))) {}

  explicit operator bool() const { return body_ != nullptr; }

  R operator()(Args... args) {
    CHECK(body_ != nullptr);
    return body_->call(std::forward<Args>(args)...);
  }

 private:
  struct AnyBody {
    virtual ~AnyBody() = default;
    virtual R call(Args... args) = 0;
  };
  template <class F>
  struct Body final : AnyBody {
    explicit Body(F callable_in) : callable(std::move(callable_in)) {}
    R call(Args... args) override { return callable(std::forward<Args>(args)...); }
    F callable;
  };
  std::unique_ptr<AnyBody> body_;
};

}  // namespace muster
