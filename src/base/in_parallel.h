// InParallel: does every piece of a work, each once and in no order, and returns when all are done.
// For the little that must be computed before anybody can be served: whoever has it takes one of
// these. Where threads may exist (main/) pieces run on several at once, so they share nothing that
// one of them changes; everywhere else they run one by one.
//
//   in_parallel(4, [&](std::size_t piece) { read(parts[piece]); });
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace muster {

using Piece = std::function<void(std::size_t)>;
using InParallel = std::function<void(std::size_t count, const Piece& piece)>;

inline void one_by_one(std::size_t count, const Piece& piece) {
  for (std::size_t i = 0; i < count; ++i) piece(i);
}

}  // namespace muster
