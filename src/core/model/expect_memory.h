// expect_memory: what lies there will be read soon and is fetched meanwhile. Rows are many and
// mostly cold; whoever knows some steps ahead which ones come next need not wait for each.
//
//   expect_memory(&row, sizeof(row));
//   expect_line(&places[hash]);
//
// Assumes: nothing but time depends on it; the memory need not even be there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace muster::core {

// One line of it.
inline void expect_line(const void* at) {
  __builtin_prefetch(at);
  // g++ takes a function that only prefetches for one without effect, and leaves out its calls.
  asm volatile("" : : "r"(at));
}

inline void expect_memory(const void* first, std::size_t bytes) {
  constexpr std::size_t cache_line_bytes = 64;
  if (first == nullptr || bytes == 0) return;
  const auto* const begin = static_cast<const std::byte*>(first);
  for (std::size_t at = 0; at < bytes; at += cache_line_bytes) expect_line(begin + at);
  expect_line(begin + bytes - 1);  // it seldom begins where a line does
}

}  // namespace muster::core
