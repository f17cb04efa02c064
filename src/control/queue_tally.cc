// SPDX-License-Identifier: Apache-2.0
#include "control/queue_tally.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "core/words.h"
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
  if (standing.type == Standing::Type::finished) {
    numbers.finished += one;
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

View named(View list, std::string_view name) {
  for (const View each : list.elements()) {
    if (each["name"].string_or("") == name) return each;
  }
  return {};
}

struct PodCounts {
  std::int64_t admitted = 0;
  std::int64_t left = 0;  // that did not end for good
};

PodCounts pods_of(View workload, View assignment) {
  const std::string_view name = assignment["name"].string_or("");
  const View set = named(workload["spec"]["podSets"], name);
  const std::int64_t asked = set ? set["count"].integer_or(1) : assignment["count"].integer_or(1);
  const std::int64_t ended =
      named(workload["status"]["reclaimablePods"], name)["count"].integer_or(0);
  return {.admitted = assignment["count"].integer_or(asked),
          .left = asked - std::clamp<std::int64_t>(ended, 0, std::max<std::int64_t>(asked, 0))};
}

// What pods that ended have given back is not in use: one pod's part for each that is left.
Quantity left_of(Quantity amount, std::string_view resource, const PodCounts& pods) {
  if (pods.admitted <= 0 || pods.left >= pods.admitted) return amount;
  const bool is_cpu = resource == "cpu";
  const QuantityScale scale = is_cpu ? QuantityScale::milli : QuantityScale::unit;
  const std::int64_t one = amount.saturated_value(scale) / pods.admitted;
  return Quantity::of_scaled(saturating_multiply(one, pods.left), scale);
}

// Asks for quota no more and not yet: as Kueue decides who enters a queue.
bool is_kept_out(View workload, View reserved) {
  const View gates = objects::annotations_of(workload)[core::words::admission_gated_by];
  return !gates.string_or("").empty() || reserved["reason"].string_or("") == "OnHold" ||
         is_true(condition(workload, "WaitingForReplacementPods"));
}

}  // namespace

Quantity amount_of(View field) {
  if (const auto whole = field.integer()) return Quantity::of(*whole);
  auto parsed = Quantity::parse_field(field.string_or("0"));
  return parsed ? std::move(*parsed) : Quantity();
}

std::optional<Standing> standing_of(View workload) {
  if (!workload) return std::nullopt;
  Standing standing;
  standing.local_queue = {std::string(objects::namespace_of(workload)),
                          std::string(workload["spec"]["queueName"].string_or(""))};
  if (is_true(condition(workload, "Finished"))) {
    standing.type = Standing::Type::finished;
    return standing;
  }
  if (!workload["spec"]["active"].boolean_or(true)) return std::nullopt;
  const View reserved = condition(workload, "QuotaReserved");
  if (!is_true(reserved)) {
    if (is_kept_out(workload, reserved)) return std::nullopt;
    return standing;
  }
  standing.type = is_true(condition(workload, "Admitted")) ? Standing::Type::admitted
                                                           : Standing::Type::reserving;
  const View admission = workload["status"]["admission"];
  standing.cluster_queue = std::string(admission["clusterQueue"].string_or(""));
  for (const View assignment : admission["podSetAssignments"].elements()) {
    const PodCounts pods = pods_of(workload, assignment);
    for (const auto& [resource, amount] : assignment["resourceUsage"].members()) {
      const std::string_view flavor = assignment["flavors"][resource].string_or("");
      standing.usage[{std::string(flavor), std::string(resource)}] +=
          left_of(amount_of(amount), resource, pods);
    }
  }
  return standing;
}

bool QueueTally::replace(View before, View after) {
  const auto old_standing = standing_of(before);
  const auto new_standing = standing_of(after);
  if (old_standing == new_standing) return false;
  if (old_standing) count(*old_standing, false);
  if (new_standing) count(*new_standing, true);
  return true;
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
  if (!standing.cluster_queue.empty()) {
    count_under(cluster_queues_, standing.cluster_queue, standing, add);
  }
}

}  // namespace muster::control
