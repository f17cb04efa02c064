// on_threads: InParallel with threads, which end before it returns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/in_parallel.h"

namespace muster {

// As many as there are processors, at most four; the caller's thread is one of them.
void on_threads(std::size_t count, const Piece& piece);

}  // namespace muster
