// SPDX-License-Identifier: Apache-2.0
#include "core/admission/pod_set_requests.h"

#include <algorithm>

#include "base/checked.h"

namespace muster::core {

namespace {

// Each pod's part is rounded down before it is taken times the new count.
void rescale(Amounts& amounts, std::int64_t from, std::int64_t to) {
  for (Amount& each : amounts) {
    if (from != 0) each.amount /= from;
    each.amount = saturating_multiply(each.amount, to);
  }
}

PodSetRequests requests_of(const GangPodSet& set) {
  PodSetRequests requests{
      .name = set.name, .count = set.effective_count(), .requests = set.effective_requests};
  for (Amount& each : requests.requests) {
    each.amount = saturating_multiply(each.amount, requests.count);
  }
  return requests;
}

PodSetRequests requests_of(const PodSetAssignment& admitted, const Workload& workload) {
  PodSetRequests requests{.name = admitted.name,
                          .count = admitted.count,
                          .requests = admitted.usage,
                          .admitted = &admitted};
  const auto set = std::ranges::find(workload.pod_sets, admitted.name, &GangPodSet::name);
  const std::int64_t left = set == workload.pod_sets.end() ? 0 : set->effective_count();
  if (left < requests.count) {
    rescale(requests.requests, requests.count, left);
    requests.count = left;
  }
  return requests;
}

}  // namespace

std::vector<PodSetRequests> pod_set_requests(const Workload& workload) {
  std::vector<PodSetRequests> all;
  if (workload.is_quota_reserved) {
    all.reserve(workload.admission->pod_sets.size());
    for (const PodSetAssignment& admitted : workload.admission->pod_sets) {
      all.push_back(requests_of(admitted, workload));
    }
    return all;
  }
  all.reserve(workload.pod_sets.size());
  for (const GangPodSet& set : workload.pod_sets) all.push_back(requests_of(set));
  return all;
}

void scale(PodSetRequests& set, std::int64_t count) {
  if (set.admitted != nullptr && set.admitted->topology) return;
  if (set.count == 0 || set.count == count) return;
  rescale(set.requests, set.count, count);
  set.count = count;
}

}  // namespace muster::core
