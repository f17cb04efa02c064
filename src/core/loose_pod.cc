// SPDX-License-Identifier: Apache-2.0
#include "core/loose_pod.h"

#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

bool is_loose_pod(objects::View pod) {
  const objects::View labels = objects::labels_of(pod);
  if (labels[words::queue_name] || labels[words::managed] || labels[words::pod_set]) return false;
  if (objects::annotations_of(pod)[words::workload]) return false;
  return pod["spec"]["schedulingGates"].empty();
}

bool names_other_scheduler(objects::View pod) {
  return pod["spec"]["schedulerName"].string_or("default-scheduler") != "default-scheduler";
}

}  // namespace muster::core
