// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/checkers/read.h"

#include <algorithm>

#include "base/quantity.h"
#include "objects/metadata.h"

namespace muster::simulator {

using objects::View;

bool is_holding(View workload) {
  return objects::is_true(objects::condition(workload, "QuotaReserved")) &&
         !objects::is_true(objects::condition(workload, "Finished"));
}

Usage usage_of(View workload) {
  Usage usage;
  for (const View set : workload["status"]["admission"]["podSetAssignments"].elements()) {
    const std::int64_t count = std::max<std::int64_t>(set["count"].integer_or(1), 1);
    std::int64_t done = 0;
    for (const View each : workload["status"]["reclaimablePods"].elements()) {
      if (each["name"] == set["name"]) done = std::min(each["count"].integer_or(0), count);
    }
    for (const auto& [resource, amount] : set["resourceUsage"].members()) {
      const std::string flavor(set["flavors"][resource].string_or(""));
      usage[{flavor, std::string(resource)}] += milli_of(amount) / count * (count - done);
    }
  }
  return usage;
}

std::int64_t milli_of(View quantity) {
  if (quantity.is_integer()) return quantity.integer_or(0) * 1'000;
  const auto parsed = Quantity::parse(quantity.string_or("0"));
  if (!parsed) return 0;
  return parsed->milli_value().value_or(0);
}

std::int64_t cpu_of(View pod) {
  std::int64_t cpu = 0;
  for (const View container : pod["spec"]["containers"].elements()) {
    cpu += milli_of(container["resources"]["requests"]["cpu"]);
  }
  return cpu;
}

bool is_terminal(View pod) {
  const std::string_view phase = pod["status"]["phase"].string_or("");
  return phase == "Succeeded" || phase == "Failed";
}

std::int64_t pods_of(View workload) {
  std::int64_t pods = 0;
  for (const View set : workload["spec"]["podSets"].elements()) pods += set["count"].integer_or(1);
  return pods;
}

}  // namespace muster::simulator
