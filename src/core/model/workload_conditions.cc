// SPDX-License-Identifier: Apache-2.0
#include "core/model/workload_conditions.h"

#include <array>
#include <string_view>
#include <utility>

namespace muster::core {

namespace {

using Member = objects::View WorkloadConditions::*;

constexpr std::array<std::pair<std::string_view, Member>, 8> types{{
    {"Finished", &WorkloadConditions::finished},
    {"QuotaReserved", &WorkloadConditions::quota_reserved},
    {"Admitted", &WorkloadConditions::admitted},
    {"Evicted", &WorkloadConditions::evicted},
    {"Preempted", &WorkloadConditions::preempted},
    {"PodsReady", &WorkloadConditions::pods_ready},
    {"Requeued", &WorkloadConditions::requeued},
    {"WaitingForReplacementPods", &WorkloadConditions::waiting_for_replacement},
}};

}  // namespace

WorkloadConditions conditions_of(objects::View status) {
  WorkloadConditions found;
  for (const objects::View condition : status["conditions"].elements()) {
    const std::string_view type = condition["type"].string_or("");
    for (const auto& [name, member] : types) {
      if (name != type) continue;
      if (!(found.*member)) found.*member = condition;
      break;
    }
  }
  return found;
}

}  // namespace muster::core
