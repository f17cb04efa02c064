// The kinds of metrics.k8s.io: NodeMetrics and PodMetrics, which nothing stores: they are computed
// from what the agents measure (server/usage.h) when somebody asks, as metrics-server does.
//
//   Value list = ALLOWED(metrics_list(context, usage, {.target = target, .labels = "app=web"}));
//
// Assumes: the target is one of the two. What nobody has measured is not in the list.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "objects/value.h"
#include "server/context.h"
#include "server/outcome.h"
#include "server/target.h"
#include "server/usage.h"

namespace muster::server {

// `usage` may be null: nobody measures.
Outcome<objects::Value> metrics_of(Context& context, const UsageSource* usage,
                                   const Target& target);

// Whether its items say what they are is as in the lists of kube-apiserver.
struct MetricsQuery {
  const Target& target;
  std::string_view labels;
  std::string_view fields;
  bool typed_items = false;
};
Outcome<objects::Value> metrics_list(Context& context, const UsageSource* usage,
                                     const MetricsQuery& query);

}  // namespace muster::server
