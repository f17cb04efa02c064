// HttpCounters: how often each limit of the transport was met: muster_http_limit_total{limit}.
//
//   const HttpCounters counters(registry);             // where the registry lives
//   counters.count(HttpLimit::body_bytes);             // on any thread
//
// Assumes: the registry belongs to another thread than the listener's; handles may be used on both.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/metrics.h"

namespace muster::server {

enum class HttpLimit : std::uint8_t {
  head_bytes,
  body_bytes,
  bodies_bytes,   // of all connections together
  requests,       // of all connections together
  user_requests,  // of one user
  connections,
  handshake_time,
  read_time,   // a head or a body that does not come, or nothing at all
  write_time,  // a client that does not read
};

class HttpCounters {
 public:
  explicit HttpCounters(MetricRegistry& registry);

  void count(HttpLimit limit) const { counters_[static_cast<std::size_t>(limit)].increment(); }

 private:
  std::vector<Counter> counters_;
};

}  // namespace muster::server
