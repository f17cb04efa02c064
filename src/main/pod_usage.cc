// SPDX-License-Identifier: Apache-2.0
#include "main/pod_usage.h"

#include <utility>

namespace muster {

namespace {

server::Usage as_usage(agent::MeasuredUsage measured) {
  server::Usage usage{.taken = measured.taken, .window = measured.window};
  for (agent::UsageRate& each : measured.rates) {
    usage.containers.push_back({.name = std::move(each.name),
                                .nanocores = each.nanocores,
                                .memory_bytes = each.memory_bytes});
  }
  return usage;
}

}  // namespace

std::optional<server::Usage> PodUsage::pod(std::string_view uid) const {
  for (const auto& each : agents_) {
    if (auto measured = each->pod(uid)) return as_usage(std::move(*measured));
  }
  return std::nullopt;
}

std::optional<server::Usage> PodUsage::node(std::string_view name) const {
  for (const auto& each : agents_) {
    if (auto measured = each->node(name)) return as_usage(std::move(*measured));
  }
  return std::nullopt;
}

}  // namespace muster
