// The maxima of the HTTPS client. Beyond each there is an Error for the caller.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/instant.h"

namespace muster::client {

// One answer, and one event of a watch.
inline constexpr std::size_t https_answer_bytes_max = std::size_t{512} * 1024 * 1024;
inline constexpr std::size_t https_event_bytes_max = std::size_t{8} * 1024 * 1024;
inline constexpr std::size_t https_answer_head_bytes_max = std::size_t{64} * 1024;

// Connections for calls (each watch has one of its own), and calls that wait for one.
inline constexpr std::size_t https_connections_max = 16;
inline constexpr std::size_t https_calls_waiting_max = 10'000;

// What a watch may have handed to the house that has not been seen there.
inline constexpr std::size_t https_watch_window_bytes = std::size_t{4} * 1024 * 1024;

struct HttpsLimits {
  std::size_t answer_bytes = https_answer_bytes_max;
  std::size_t event_bytes = https_event_bytes_max;
  std::size_t connections = https_connections_max;
  std::size_t calls_waiting = https_calls_waiting_max;

  // Lengths are counted in sweeps.
  Span sweep = Span::of_seconds(1);
  Span connect = Span::of_seconds(10);  // to the end of the handshake
  Span call = Span::of_seconds(30);     // from the request to the last byte of its answer
  Span idle = Span::of_seconds(30);     // before the server would close it
};

}  // namespace muster::client
