// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_local_queue.h"

#include <algorithm>

#include "core/model/read_resource_groups.h"
#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::View;

Result<LocalQueue> read_local_queue(View object) {
  const View spec = object["spec"];
  LocalQueue queue;
  queue.cluster_queue = spec["clusterQueue"].string_or("");
  queue.stop_policy = read_stop_policy(spec["stopPolicy"]);
  queue.is_being_deleted = objects::is_being_deleted(object);
  queue.fair_weight = TRY(read_fair_weight(spec["fairSharing"]));
  const View sampled = object["status"]["fairSharing"]["admissionFairSharingStatus"];
  for (const auto& [name, quantity] : sampled["consumedResources"].members()) {
    const std::string text =
        quantity.is_string() ? std::string(*quantity.string()) : objects::to_json(quantity);
    queue.consumed.emplace_back(name, TRY(Quantity::parse_field(text)));
  }
  std::ranges::sort(queue.consumed, {}, [](const auto& entry) { return entry.first; });
  queue.consumed_at = objects::instant_of(sampled["lastUpdate"]);
  return queue;
}

}  // namespace muster::core
