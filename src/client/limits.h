// The maxima of this folder, and the spans that a client waits before it tries again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/instant.h"

namespace muster::client {

// Between two attempts to list or watch: the first is made at once, the next after the shortest
// span, and each further one after twice that, with up to as much again by chance. Whoever cannot
// see decides nothing: a server that is back after a restart is found within twice the longest.
inline constexpr Span retry_span_min = Span::of_milliseconds(50);
inline constexpr Span retry_span_max = Span::of_seconds(5);

// A watch that lived this long was healthy: when it ends it is opened again at once.
inline constexpr Span watch_healthy_span = Span::of_seconds(1);

}  // namespace muster::client
