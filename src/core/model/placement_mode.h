// Placement: what "admitted" promises about nodes (docs/internals/placement.md). The policy says it
// for all ClusterQueues; the annotation muster.dev/placement of one says it for that one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::core {

enum class Placement : std::uint8_t {
  none,     // quota alone, as Kueue
  checked,  // the gang fits the nodes as they are; the cluster's scheduler places it
  pinned,   // Muster chooses the node of every pod
};

constexpr std::optional<Placement> placement_of(std::string_view name) {
  if (name == "none") return Placement::none;
  if (name == "checked") return Placement::checked;
  if (name == "pinned") return Placement::pinned;
  return std::nullopt;
}

}  // namespace muster::core
