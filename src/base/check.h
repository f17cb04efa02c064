// CHECK: a condition that only a bug can break. Always on, also in release; prints the
// condition, the place and an optional sentence, then aborts. Never use it on anything that
// input, the disk or another process can influence: that is a Result.
//
//   CHECK(head_ <= tail_);
//   CHECK(false, "every enumerator is handled above");
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace muster {

[[noreturn]] void check_failed(std::string_view condition, std::string_view file, int line,
                               std::string_view sentence = {});

}  // namespace muster

#define CHECK(condition, ...)   \
  (static_cast<bool>(condition) \
       ? static_cast<void>(0)   \
       : ::muster::check_failed(#condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__))
