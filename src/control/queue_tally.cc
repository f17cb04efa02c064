// SPDX-License-Identifier: Apache-2.0
#include "control/queue_tally.h"

#include <utility>

#include "objects/metadata.h"

namespace muster::control {

using objects::condition;
using objects::is_true;
using objects::ObjectKey;
using objects::View;

namespace {

const QueueNumbers no_numbers = {};

void add_to(Usage& sum, const Usage& usage, bool add) {
  for (const auto& [place, amount] : usage) {
    Quantity& slot = sum[place];
    if (add) {
      slot += amount;
    } else {
      slot -= amount;
    }
    if (slot.is_zero()) sum.erase(place);
  }
}

void count_in(QueueNumbers& numbers, const Standing& standing, bool add) {
  const std::int64_t one = add ? 1 : -1;
  if (standing.type == Standing::Type::pending) {
    numbers.pending += one;
    return;
  }
  numbers.reserving += one;
  add_to(numbers.reserved, standing.usage, add);
  if (standing.type == Standing::Type::admitted) {
    numbers.admitted += one;
    add_to(numbers.used, standing.usage, add);
  }
}

template <class Map, class Key>
void count_under(Map& map, const Key& key, const Standing& standing, bool add) {
  QueueNumbers& numbers = map[key];
  count_in(numbers, standing, add);
  if (numbers.empty()) map.erase(key);
}

}  // namespace

Quantity amount_of(View field) {
  if (const auto whole = field.integer()) return Quantity::of(*whole);
  auto parsed = Quantity::parse_field(field.string_or("0"));
  return parsed ? std::move(*parsed) : Quantity();
}

std::optional<Standing> standing_of(View workload) {
  if (!workload || is_true(condition(workload, "Finished"))) return std::nullopt;
  Standing standing;
  standing.local_queue = {std::string(objects::namespace_of(workload)),
                          std::string(workload["spec"]["queueName"].string_or(""))};
  if (!is_true(condition(workload, "QuotaReserved"))) {
    if (!workload["spec"]["active"].boolean_or(true)) return std::nullopt;
    return standing;
  }
  standing.type = is_true(condition(workload, "Admitted")) ? Standing::Type::admitted
                                                           : Standing::Type::reserving;
  const View admission = workload["status"]["admission"];
  standing.cluster_queue = std::string(admission["clusterQueue"].string_or(""));
  for (const View assignment : admission["podSetAssignments"].elements()) {
    for (const auto& [resource, amount] : assignment["resourceUsage"].members()) {
      const std::string_view flavor = assignment["flavors"][resource].string_or("");
      standing.usage[{std::string(flavor), std::string(resource)}] += amount_of(amount);
    }
  }
  return standing;
}

void QueueTally::replace(View before, View after) {
  if (const auto standing = standing_of(before)) count(*standing, false);
  if (const auto standing = standing_of(after)) count(*standing, true);
}

const QueueNumbers& QueueTally::of_local_queue(const ObjectKey& key) const {
  const auto found = local_queues_.find(key);
  return found == local_queues_.end() ? no_numbers : found->second;
}

const QueueNumbers& QueueTally::of_cluster_queue(std::string_view name) const {
  const auto found = cluster_queues_.find(name);
  return found == cluster_queues_.end() ? no_numbers : found->second;
}

void QueueTally::count(const Standing& standing, bool add) {
  count_under(local_queues_, standing.local_queue, standing, add);
  if (standing.type != Standing::Type::pending) {
    count_under(cluster_queues_, standing.cluster_queue, standing, add);
  }
}

}  // namespace muster::control
