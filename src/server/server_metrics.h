// ServerMetrics: what /metrics says about requests and the store. Names are the peer's where the
// meaning is the same, so that dashboards find them; the rest begins with muster_.
//
//   ServerMetrics metrics(registry);
//   metrics.count({.verb = "list", .resource = "pods", .code = 200, .seconds = 0.002});
//   metrics.text(store.statistics());
//
// Assumes: the house thread. Cardinality is bounded by the registry (base/metrics.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/metrics.h"
#include "store/store.h"

namespace muster::server {

struct CountedRequest {
  std::string_view verb;
  std::string_view group = {};
  std::string_view version = {};
  std::string_view resource = {};
  std::string_view subresource = {};
  int code = 200;
  double seconds = 0;
};

class ServerMetrics {
 public:
  explicit ServerMetrics(MetricRegistry& registry);

  void count(const CountedRequest& request);
  void begin(bool changes) { (changes ? changing_ : reading_).add(1); }
  void end(bool changes) { (changes ? changing_ : reading_).add(-1); }

  std::string text(const store::StoreStatistics& statistics);

 private:
  MetricRegistry& registry_;
  MetricFamily<Counter> requests_;
  MetricFamily<Histogram> seconds_;
  MetricFamily<Gauge> in_flight_;
  MetricFamily<Gauge> store_;
  Gauge reading_;
  Gauge changing_;
};

}  // namespace muster::server
