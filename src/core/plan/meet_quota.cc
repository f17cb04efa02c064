// ResourceQuotas as the hard wall under the queues: a workload whose pods one of its namespace
// would reject is not admitted, whatever its queue has left.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/plan/cycle.h"

namespace muster::core {

namespace {

// Pods that are still to be made if the entry is admitted, by pod set of the spec. Those of the
// slice that it replaces are there, or booked.
std::vector<std::int64_t> pods_to_make(const Tables& tables, const Decision& entry) {
  const WorkloadRow& row = tables.workloads[entry.workload];
  std::vector<std::int64_t> counts = tables.standing_pods(row);
  for (std::int64_t& count : counts) count = -count;
  const WorkloadId slice = entry.assignment->replaced_slice;
  for (const PodSetFlavors& assigned : entry.assignment->pod_sets) {
    std::int64_t& count = counts[assigned.index];
    if (slice.is_none()) {
      count += assigned.count;
      continue;
    }
    const auto& before = tables.workloads[slice].spec.admission->pod_sets;
    const auto found =
        std::ranges::find(before, row.spec.pod_sets[assigned.index].name, &PodSetAssignment::name);
    count = assigned.count - (found == before.end() ? 0 : found->count);
  }
  for (std::int64_t& count : counts) count = std::max<std::int64_t>(count, 0);
  return counts;
}

QuotaAmounts asked_of(const QuotaPage::Wall& wall, const QuotaDemand& demand,
                      const std::vector<std::int64_t>& counts) {
  QuotaAmounts asked;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!holds_for(wall.limits, demand.pods[i])) continue;
    count_amounts(asked, demand.pods[i].usage, wall.limits.hard, counts[i]);
  }
  return asked;
}

// What the entry's victims hold of the quota, and give back.
void leave_out_victims(const Tables& tables, const QuotaPage& page, const QuotaPage::Wall& wall,
                       const Decision& entry, QuotaAmounts& used) {
  for (const Target& target : entry.targets) {
    if (target.workload == entry.assignment->replaced_slice) continue;
    for (const PodId id : tables.gang_pods(tables.workloads[target.workload])) {
      const QuotaPod* pod = page.pod(id);
      if (pod != nullptr && holds_for(wall.limits, *pod)) {
        count_amounts(used, pod->usage, wall.limits.hard, -1);
      }
    }
    const QuotaBooking* booking = page.booking(target.workload);
    if (booking == nullptr) continue;
    const QuotaAmounts booked = asked_of(wall, *booking->demand, booking->counts);
    count_amounts(used, booked, wall.limits.hard, -1);
  }
}

std::optional<Reason> unstated_reason(const WorkloadRow& row,
                                      const std::vector<std::int64_t>& counts,
                                      const std::string& name, const QuotaPage::Wall& wall) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const QuotaPod& pod = row.quota_demand->pods[i];
    if (counts[i] == 0 || !holds_for(wall.limits, pod)) continue;
    Unstated missing;
    for (const auto& [resource, containers] : pod.unstated) {
      if (wall.limits.hard.contains(resource)) missing.emplace(resource, containers);
    }
    if (missing.empty()) continue;
    const std::string& set = row.spec.pod_sets[i].name;
    return Reason{
        .type = Reason::Type::unstated_resources,
        .pod_set = set,
        .name = name,
        .detail = fmt::format("ResourceQuota {0} would reject the pods of pod set {1}: failed "
                              "quota: {0}: {2}",
                              name, set, unstated_text(missing))};
  }
  return std::nullopt;
}

QuotaAmounts only(const QuotaAmounts& amounts, const std::vector<std::string>& names) {
  QuotaAmounts kept;
  for (const std::string& name : names) {
    const auto found = amounts.find(name);
    kept.emplace(name, found == amounts.end() ? Quantity() : found->second);
  }
  return kept;
}

std::optional<Reason> exceeded_reason(const std::string& name, const QuotaAmounts& asked,
                                      const QuotaAmounts& used, const QuotaAmounts& hard) {
  std::vector<std::string> exceeded;
  for (const auto& [resource, amount] : asked) {
    const auto so_far = used.find(resource);
    const Quantity sum = so_far == used.end() ? amount : amount + so_far->second;
    if (amount.sign() > 0 && sum > hard.at(resource)) exceeded.push_back(resource);
  }
  if (exceeded.empty()) return std::nullopt;
  return Reason{.type = Reason::Type::no_room,
                .resource = exceeded.front(),
                .name = name,
                .detail = fmt::format("ResourceQuota {0} would reject its pods: exceeded quota: "
                                      "{0}, requested: {1}, used: {2}, limited: {3}",
                                      name, amounts_text(only(asked, exceeded)),
                                      amounts_text(only(used, exceeded)),
                                      amounts_text(only(hard, exceeded)))};
}

}  // namespace

std::optional<Reason> quota_objection(const Cycle& cycle, const Decision& entry) {
  Tables& tables = cycle.tables;
  if (tables.quota_pages.empty()) return std::nullopt;
  const WorkloadRow& row = tables.workloads[entry.workload];
  if (row.quota_demand == nullptr || entry.is_second_pass ||
      cycle.policy.resource_quotas == ResourceQuotas::ignored) {
    return std::nullopt;
  }
  const std::string& key = tables.workloads.key(entry.workload);
  const QuotaPage* page = tables.quota_page_of(key);
  if (page == nullptr) return std::nullopt;
  const std::vector<std::int64_t> counts = pods_to_make(tables, entry);
  // What a pod must say is asked by all quotas before any of them is found too small.
  for (const auto& [name, wall] : page->walls()) {
    if (auto reason = unstated_reason(row, counts, name, wall)) return reason;
  }
  const auto taken = cycle.quota_taken.find(object_key(key).name_space);
  for (const auto& [name, wall] : page->walls()) {
    QuotaAmounts used = wall.total;
    if (taken != cycle.quota_taken.end()) {
      count_amounts(used, taken->second.at(name), wall.limits.hard, 1);
    }
    leave_out_victims(tables, *page, wall, entry, used);
    const QuotaAmounts asked = asked_of(wall, *row.quota_demand, counts);
    if (auto reason = exceeded_reason(name, asked, used, wall.limits.hard)) return reason;
  }
  return std::nullopt;
}

void take_of_quota(Cycle& cycle, const Decision& entry) {
  Tables& tables = cycle.tables;
  if (tables.quota_pages.empty()) return;
  const WorkloadRow& row = tables.workloads[entry.workload];
  if (row.quota_demand == nullptr || entry.is_second_pass) return;
  const std::string& key = tables.workloads.key(entry.workload);
  const QuotaPage* page = tables.quota_page_of(key);
  if (page == nullptr) return;
  const std::vector<std::int64_t> counts = pods_to_make(tables, entry);
  QuotaPage::Totals& taken = cycle.quota_taken[object_key(key).name_space];
  for (const auto& [name, wall] : page->walls()) {
    const QuotaAmounts asked = asked_of(wall, *row.quota_demand, counts);
    count_amounts(taken[name], asked, wall.limits.hard, 1);
  }
}

}  // namespace muster::core
