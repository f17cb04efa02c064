// ClusterState, the part of what requests depend on beside the workloads themselves: LimitRanges
// and RuntimeClasses. When one changes, all are read again with it: the quota that was reserved
// stays as it is, what pods take of nodes and topologies does not depend on who was heard of first.
// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_limit_range.h"
#include "core/model/tables.h"
#include "objects/metadata.h"

namespace muster::core {

RequestRules Tables::request_rules(std::string_view name_space) const {
  const auto limits = limit_summaries.find(name_space);
  return {.configuration = &configuration,
          .limits = limits == limit_summaries.end() ? nullptr : &limits->second,
          .overheads = &overheads,
          .version = rules_version};
}

// An object that cannot be read says nothing: the server that stores it has refused it.
void Tables::apply_limit_range(const Event& event) {
  const std::string name_space(objects::namespace_of(event.object));
  const std::string name(objects::name_of(event.object));
  auto& ranges = limit_ranges[name_space];
  if (event.type == EventType::remove) {
    ranges.erase(name);
  } else {
    ranges.insert_or_assign(name, event.object);
  }
  std::vector<objects::Value> in_order;
  for (const auto& [key, range] : ranges) in_order.push_back(range);
  limit_summaries.erase(name_space);
  if (in_order.empty()) {
    limit_ranges.erase(name_space);
  } else if (auto summary = summarize_limit_ranges(in_order, names)) {
    limit_summaries.emplace(name_space, *std::move(summary));
  }
  read_workloads_again(name_space);
}

void Tables::apply_runtime_class(const Event& event) {
  const std::string name(objects::name_of(event.object));
  overheads.erase(name);
  if (event.type != EventType::remove) {
    auto overhead = read_quantities(event.object["overhead"]["podFixed"], names);
    if (overhead && !overhead->empty()) overheads.emplace(name, *std::move(overhead));
  }
  read_workloads_again({});
}

void Tables::read_workloads_again(std::string_view name_space) {
  ++rules_version;
  std::map<std::string, WorkloadId> concerned;
  workloads.for_each([&](WorkloadId id, const WorkloadRow& row) {
    if (!row.present || row.assumed || row.spec.is_finished) return;
    const std::string& key = workloads.key(id);
    if (!name_space.empty() && object_key(key).name_space != name_space) return;
    concerned.emplace(key, id);
  });
  for (const auto& [key, id] : concerned) {
    const ClusterQueueId queue = workloads[id].reserved_in;
    const auto removals = queue.is_none() ? 0 : cluster_queues[queue].removals;
    show_workload_again(id);
    // Nobody's quota became free: searches through the flavors go on.
    if (!queue.is_none()) cluster_queues[queue].removals = removals;
  }
}

}  // namespace muster::core
