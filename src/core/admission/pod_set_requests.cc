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

std::size_t pod_set_count(const Workload& workload) {
  return workload.is_quota_reserved ? workload.admission->pod_sets.size()
                                    : workload.pod_sets.size();
}

PodSetRequests pod_set_requests(const Workload& workload, std::size_t at) {
  if (workload.is_quota_reserved) return requests_of(workload.admission->pod_sets[at], workload);
  return requests_of(workload.pod_sets[at]);
}

std::vector<PodSetRequests> pod_set_requests(const Workload& workload) {
  std::vector<PodSetRequests> all;
  all.reserve(pod_set_count(workload));
  for (std::size_t i = 0; i < pod_set_count(workload); ++i) {
    all.push_back(pod_set_requests(workload, i));
  }
  return all;
}

void scale(PodSetRequests& set, std::int64_t count) {
  if (set.admitted != nullptr && set.admitted->topology) return;
  if (set.count == 0 || set.count == count) return;
  rescale(set.requests, set.count, count);
  set.count = count;
}

}  // namespace muster::core
