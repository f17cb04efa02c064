// The maxima of the HTTP listener. Beyond each there is a Status or a closed connection, never
// growth. HttpLimits has them as members, so that a test can make them small.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/instant.h"

namespace muster::server {

// A request: its head (431 beyond it) and its body (413, without reading it).
inline constexpr std::size_t http_head_bytes_max = std::size_t{16} * 1024;
inline constexpr std::size_t http_body_bytes_max = std::size_t{3} * 1024 * 1024;

// What all connections together may have in hand (429 beyond it): bodies announced and not yet
// answered, and requests that the house has not answered.
inline constexpr std::size_t http_bodies_bytes_max = std::size_t{256} * 1024 * 1024;
inline constexpr std::size_t http_requests_max = 4'096;

// Of them, how many the house handles before it looks at what else there is.
inline constexpr std::size_t http_requests_at_once = 8;

// What the network does for the house at most when one request comes alone: a round that handles
// it, and one that hands what it wrote to the disk.
inline constexpr int http_lone_rounds_max = 2;

// Of these, what one user may have in hand: requests that read and requests that change something
// (429 beyond it), so that one flood does not starve everybody else. As kube-apiserver's exempt
// level, system:masters are not counted: they have to get in when nobody else does.
inline constexpr std::size_t http_reads_per_user_max = 400;
inline constexpr std::size_t http_changes_per_user_max = 200;

// An answer larger than this is compressed for who accepts it.
inline constexpr std::size_t http_gzip_bytes_min = std::size_t{128} * 1024;

// A connection beyond this is closed as it comes.
inline constexpr std::size_t http_connections_max = 10'000;

// Requests of one connection that wait for their answers; beyond it the connection is not read.
inline constexpr std::size_t http_pipeline_max = 16;

// One write, and what a stream may have taken from the house and not yet written.
inline constexpr std::size_t http_write_bytes = std::size_t{64} * 1024;
inline constexpr std::size_t http_stream_window_bytes = std::size_t{256} * 1024;

// What is read and thrown away so that a client that is still sending sees why it was refused.
inline constexpr std::size_t http_linger_bytes_max = std::size_t{8} * 1024 * 1024;

// One message of a client that has upgraded its connection, and the subprotocols that it offers.
inline constexpr std::size_t http_message_bytes_max = std::size_t{4} * 1024 * 1024;
inline constexpr std::size_t http_protocols_max = 16;

struct HttpLimits {
  std::size_t head_bytes = http_head_bytes_max;
  std::size_t body_bytes = http_body_bytes_max;
  std::size_t bodies_bytes = http_bodies_bytes_max;
  std::size_t requests = http_requests_max;
  std::size_t reads_per_user = http_reads_per_user_max;
  std::size_t changes_per_user = http_changes_per_user_max;
  std::size_t connections = http_connections_max;
  std::size_t pipeline = http_pipeline_max;
  std::size_t linger_bytes = http_linger_bytes_max;

  // Lengths are counted in sweeps: a connection is closed at the first sweep after its time.
  Span sweep = Span::of_seconds(1);
  Span handshake = Span::of_seconds(10);
  Span head = Span::of_seconds(10);
  Span body = Span::of_seconds(30);
  Span idle = Span::of_seconds(60);
  Span write = Span::of_seconds(60);  // a client that takes nothing of what is sent to it
  Span linger = Span::of_seconds(2);
  Span stop = Span::of_seconds(2);  // from stop() to the end of every connection
};

}  // namespace muster::server
