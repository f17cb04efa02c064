// Result<T>: a value, or the Error that explains its absence. It is tl::expected with
// [[nodiscard]], so that a dropped error does not compile.
//
//   Result<Job> parse_job(std::string_view body) {
//     auto value = TRY(parse_json(body));      // returns the error from this function
//     if (!value.is_object()) return Error::invalid("must be an object");
//     return Job{...};
//   }
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace muster {

template <class T = void>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  Result(Error error) : tl::expected<T, Error>(tl::unexpected<Error>(std::move(error))) {}

  // The value, for TRY and for callers that have checked.
  T take() && {
    if constexpr (!std::is_void_v<T>) return std::move(**this);
  }

  // The value of a call that cannot fail here; a failure is a bug, and says which.
  T must() && {
    if (!this->has_value()) check_failed("must()", __FILE__, __LINE__, this->error().to_string());
    return std::move(*this).take();
  }
};

}  // namespace muster

// Evaluates to the value, or returns the error from the enclosing function. Never inside a braced
// initializer: the members built before it would leak when it returns (tests/layers holds this).
#define TRY(...)                                                                \
  (__extension__({                                                              \
    auto&& try_result_ = (__VA_ARGS__);                                         \
    if (!try_result_) [[unlikely]]                                              \
      return ::tl::unexpected<::muster::Error>(std::move(try_result_).error()); \
    std::move(try_result_).take();                                              \
  }))
