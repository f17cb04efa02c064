// Whether somebody told a pod to leave its node: by eviction (`kubectl drain`), or by a taint that
// expels. A gang of which one is told to go stops whole and is placed anew.
//
//   if (is_told_to_go(pod)) endangered.emplace(…);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "objects/metadata.h"
#include "objects/value.h"

namespace muster::core {

inline bool is_told_to_go(objects::View pod) {
  const objects::View target = objects::condition(pod, "DisruptionTarget");
  const std::string_view reason = target["reason"].string_or("");
  const std::string_view phase = pod["status"]["phase"].string_or("");
  return objects::is_true(target) && phase != "Succeeded" && phase != "Failed" &&
         (reason == "EvictionByEvictionAPI" || reason == "DeletionByTaintManager");
}

}  // namespace muster::core
