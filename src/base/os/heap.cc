// SPDX-License-Identifier: Apache-2.0
#include "base/os/heap.h"

#include <malloc.h>

namespace muster {

namespace {

constexpr int mapped_bytes_min = 1024 * 1024;
constexpr int free_end_bytes_max = 4 * 1024 * 1024;

}  // namespace

void give_free_memory_back() {
  // Where the C library has no such settings it keeps its own ways.
  ::mallopt(M_MMAP_THRESHOLD, mapped_bytes_min);
  ::mallopt(M_TRIM_THRESHOLD, free_end_bytes_max);
}

}  // namespace muster
