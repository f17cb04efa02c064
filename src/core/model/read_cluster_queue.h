// What decisions need of a ClusterQueue: its quota by resource group and flavor, how it orders and
// whom it takes.
//
//   ClusterQueue queue = TRY(read_cluster_queue(object, names));
//   queue.groups[0].flavors[1].nominal[2]    // of the third covered resource
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/placement_mode.h"
#include "core/model/resource_names.h"
#include "objects/label_selector.h"
#include "objects/value.h"

namespace muster::core {

enum class QueueingStrategy : std::uint8_t { best_effort_fifo, strict_fifo };
enum class StopPolicy : std::uint8_t { none, hold, hold_and_drain };

StopPolicy read_stop_policy(objects::View policy);

struct FlavorQuota {
  std::string flavor;
  std::vector<std::int64_t> nominal;  // in the order of the covered resources; `unlimited` is none
};

struct ResourceGroup {
  std::vector<ResourceId> covered;
  std::vector<FlavorQuota> flavors;  // in the order of preference
};

struct RequiredCheck {
  std::string name;
  std::vector<std::string> on_flavors;  // empty: on all
};

struct ClusterQueue {
  std::vector<ResourceGroup> groups;
  QueueingStrategy strategy = QueueingStrategy::best_effort_fifo;
  StopPolicy stop_policy = StopPolicy::none;
  objects::LabelSelector namespace_selector = objects::LabelSelector::nothing();
  std::vector<RequiredCheck> checks;
  std::optional<Placement> placement = {};
  bool is_being_deleted = false;
};

Result<ClusterQueue> read_cluster_queue(objects::View object, ResourceNames& names);

}  // namespace muster::core
