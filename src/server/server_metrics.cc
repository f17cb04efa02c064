// SPDX-License-Identifier: Apache-2.0
#include "server/server_metrics.h"

#include <fmt/format.h>

namespace muster::server {

ServerMetrics::ServerMetrics(MetricRegistry& registry)
    : registry_(registry),
      requests_(
          registry
              .counter({.name = "apiserver_request_total",
                        .help = "Requests by verb, resource and code of their answer.",
                        .labels = {"verb", "group", "version", "resource", "subresource", "code"}})
              .must()),
      seconds_(registry
                   .histogram({.name = "apiserver_request_duration_seconds",
                               .help = "From the request to its answer; of a watch to its start.",
                               .labels = {"verb", "group", "version", "resource", "subresource"}},
                              exponential_bounds(0.0001, 4, 9))
                   .must()),
      in_flight_(registry
                     .gauge({.name = "apiserver_current_inflight_requests",
                             .help = "Requests that wait for their answers.",
                             .labels = {"request_kind"}})
                     .must()),
      store_(registry
                 .gauge({.name = "muster_store",
                         .help = "The numbers of the store, by what they count.",
                         .labels = {"what"}})
                 .must()),
      reading_(in_flight_.with({"readOnly"})),
      changing_(in_flight_.with({"mutating"})) {}

void ServerMetrics::count(const CountedRequest& request) {
  const std::string code = fmt::to_string(request.code);
  requests_
      .with({request.verb, request.group, request.version, request.resource, request.subresource,
             code})
      .increment();
  seconds_
      .with({request.verb, request.group, request.version, request.resource, request.subresource})
      .observe(request.seconds);
}

std::string ServerMetrics::text(const store::StoreStatistics& statistics) {
  const auto set = [&](std::string_view what, std::uint64_t value) {
    store_.with({what}).set(static_cast<double>(value));
  };
  set("revision", statistics.revision.value);
  set("compacted_revision", statistics.compacted.value);
  set("keys", statistics.keys);
  set("value_bytes", statistics.value_bytes);
  set("history_events", statistics.history_events);
  set("history_bytes", statistics.history_bytes);
  set("watches", statistics.watches);
  set("watches_cut_off", statistics.watches_cut_off);
  set("outstanding_writes", statistics.outstanding_writes);
  set("commits", statistics.commits);
  set("failed_commits", statistics.failed_commits);
  set("rows_to_trim", statistics.rows_to_trim);
  set("checkpoints", statistics.checkpoints);
  set("journal_bytes", statistics.journal_bytes);
  return registry_.to_text();
}

}  // namespace muster::server
