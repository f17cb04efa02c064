// QueueTally: how many Workloads wait, hold quota and are admitted in each queue, and what they
// use, kept current change by change: the numbers in the status of queues.
//
//   tally.replace(change.before, change.after);        // Workloads
//   tally.of_cluster_queue("team-a").reserving
//
// Assumes: each Workload is replaced by its own next state. Sums are exact, so that what is added
// can be taken away again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::control {

struct FlavorResource {
  std::string flavor;
  std::string resource;

  friend auto operator<=>(const FlavorResource&, const FlavorResource&) = default;
};

using Usage = std::map<FlavorResource, Quantity>;

// The amount of a field, which may be a string or a number; zero where it cannot be read.
Quantity amount_of(objects::View field);

struct QueueNumbers {
  // Of a LocalQueue only: a ClusterQueue's are the sums of its own.
  std::int64_t pending = 0;
  std::int64_t finished = 0;

  std::int64_t reserving = 0;
  std::int64_t admitted = 0;
  Usage reserved;
  Usage used;

  bool empty() const { return pending == 0 && finished == 0 && reserving == 0; }
};

// Where a Workload counts.
struct Standing {
  enum class Type : std::uint8_t { pending, reserving, admitted, finished };
  Type type = Type::pending;
  objects::ObjectKey local_queue;
  std::string cluster_queue = {};  // where it holds quota
  Usage usage = {};

  friend bool operator==(const Standing&, const Standing&) = default;
};

// Nothing for a Workload that does not exist, or neither asks for quota nor holds any: it is not
// active, gated, on hold, or waits for pods in the place of others.
std::optional<Standing> standing_of(objects::View workload);

class QueueTally {
 public:
  // Absent: it was not there, or it is gone. Whether any number changed.
  bool replace(objects::View before, objects::View after);

  const QueueNumbers& of_local_queue(const objects::ObjectKey& key) const;
  const QueueNumbers& of_cluster_queue(std::string_view name) const;

 private:
  void count(const Standing& standing, bool add);

  std::map<objects::ObjectKey, QueueNumbers> local_queues_;
  std::map<std::string, QueueNumbers, std::less<>> cluster_queues_;
};

}  // namespace muster::control
