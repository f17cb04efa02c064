// What decisions need of a LocalQueue: where it leads, whether it lets through, and for admission
// fair sharing its weight and what its workloads have consumed of late.
//
//   LocalQueue queue = TRY(read_local_queue(object));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/quantity.h"
#include "base/result.h"
#include "core/model/read_cluster_queue.h"
#include "objects/value.h"

namespace muster::core {

struct LocalQueue {
  std::string cluster_queue;
  StopPolicy stop_policy = StopPolicy::none;
  bool is_being_deleted = false;
  double fair_weight = 1;

  // status.fairSharing.admissionFairSharingStatus, by name of the resource.
  std::vector<std::pair<std::string, Quantity>> consumed;
  std::optional<Instant> consumed_at = {};  // when that was sampled; nothing: never
};

Result<LocalQueue> read_local_queue(objects::View object);

}  // namespace muster::core
