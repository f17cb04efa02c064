// SPDX-License-Identifier: Apache-2.0
#include "core/preemption/cost.h"

#include <algorithm>
#include <string>

#include "base/checked.h"
#include "core/model/tables.h"
#include "objects/metadata.h"

namespace muster::core {
namespace {

// Extended resources have a domain in front ("nvidia.com/gpu"); those of Kubernetes itself count
// bytes or cores and say nothing about devices.
bool is_device(std::string_view resource) {
  const std::size_t slash = resource.find('/');
  return slash != std::string_view::npos && !resource.substr(0, slash).ends_with("kubernetes.io");
}

// What works for the gang: its devices, or its pods where it has none.
std::int64_t units_of(const Tables& tables, const Workload& workload) {
  std::int64_t pods = 0;
  std::int64_t devices = 0;
  for (const GangPodSet& set : workload.pod_sets) {
    const std::int64_t count = set.effective_count();
    pods = saturating_add(pods, count);
    for (const Amount& each : set.requests) {
      if (!is_device(tables.names.name(each.resource))) continue;
      devices = saturating_add(devices, saturating_multiply(count, each.amount));
    }
  }
  return std::max(pods, devices);
}

}  // namespace

std::int64_t preemption_cost(const Tables& tables, WorkloadId id) {
  const WorkloadRow& row = tables.workloads[id];
  if (row.spec.is_evicted || row.assumed_evicted) return 0;
  std::optional<Instant> since = row.spec.admitted_at ? row.spec.admitted_at : row.spec.reserved_at;
  if (!since) return 0;
  const auto checkpoint = objects::instant_of(
      objects::annotations_of(row.object)[std::string(last_checkpoint_annotation)]);
  if (checkpoint && *checkpoint <= tables.now) since = std::max(*since, *checkpoint);
  const std::int64_t lost =
      saturating_subtract(tables.now.nanoseconds, since->nanoseconds) / 1'000'000'000;
  return saturating_multiply(std::max<std::int64_t>(lost, 0), units_of(tables, row.spec));
}

}  // namespace muster::core
