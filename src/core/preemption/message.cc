// SPDX-License-Identifier: Apache-2.0
#include "core/preemption/message.h"

#include <fmt/format.h>

#include "core/model/tables.h"

namespace muster::core {
namespace {

std::string_view or_unknown(std::string_view text) {
  return text.empty() ? "UNKNOWN" : text;
}

}  // namespace

std::string cluster_queue_path(const Tables& tables, ClusterQueueId queue) {
  const QuotaForest& forest = tables.quota;
  std::string path;
  for (QuotaNodeId node = tables.cluster_queues[queue].node; !node.is_none();
       node = forest.parent(node)) {
    path.insert(0, "/" + forest.name(node));
  }
  return path;
}

std::string preemption_message(const Tables& tables, WorkloadId preemptor, ClusterQueueId queue,
                               const Target& target) {
  const WorkloadRow& row = tables.workloads[preemptor];
  const ClusterQueueId other = tables.workloads[target.workload].reserved_in;
  return fmt::format(
      "Preempted to accommodate a workload (UID: {}, JobUID: {}) due to {}; preemptor path: {}; "
      "preemptee path: {}",
      or_unknown(row.uid), or_unknown(job_uid(row.object)), reason_phrase(target.reason),
      cluster_queue_path(tables, queue), cluster_queue_path(tables, other));
}

}  // namespace muster::core
