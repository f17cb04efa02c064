// SPDX-License-Identifier: Apache-2.0
#include "server/http/counters.h"

#include <string_view>

namespace muster::server {

namespace {

// In the order of the enumeration.
constexpr std::string_view names[] = {"head_bytes",     "body_bytes",    "bodies_bytes",
                                      "requests",       "user_requests", "connections",
                                      "handshake_time", "read_time",     "write_time"};

}  // namespace

HttpCounters::HttpCounters(MetricRegistry& registry) {
  const auto family =
      registry
          .counter({.name = "muster_http_limit_total",
                    .help = "Requests and connections that met a limit of the transport.",
                    .labels = {"limit"}})
          .must();
  for (const std::string_view name : names) counters_.push_back(family.with({name}));
}

}  // namespace muster::server
