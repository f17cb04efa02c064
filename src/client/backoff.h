// Backoff: how long to wait before the next attempt: nothing, then min, 2 min, 4 min … max, each
// with up to as much again by chance, so that many clients do not come back together.
//
//   executor.post_at(clock.monotonic() + backoff.next(random), …);
//   backoff.reset();   // it worked
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/instant.h"
#include "base/random.h"

namespace muster::client {

class Backoff {
 public:
  Backoff(Span min, Span max) : min_(min), max_(max) {}

  Span next(Random& random) {
    const Span span = span_;
    span_ = span_ == Span{} ? min_ : std::min(max_, span_ + span_);
    if (span == Span{}) return span;
    const auto width = static_cast<std::uint64_t>(span.nanoseconds);
    return span + Span::of_nanoseconds(static_cast<std::int64_t>(random.below(width)));
  }

  void reset() { span_ = {}; }

  // The first attempt waits as well.
  void skip_first() {
    if (span_ == Span{}) span_ = min_;
  }

 private:
  Span min_;
  Span max_;
  Span span_ = {};  // before the next attempt
};

}  // namespace muster::client
