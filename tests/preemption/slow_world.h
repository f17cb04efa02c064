// SlowWorld: queues, cohorts and reserved workloads as maps of names, and the figures of their
// quota counted from nothing at every question. It is the plain reading of Kueue's formulas, kept
// apart from the product so that the two can be compared.
//
//   SlowWorld world;
//   world.nodes["team-a"] = {.parent = "research", .is_queue = true, …};
//   world.available("team-a", "h100/gpu")
//
// Assumes: amounts are small; names of queues and cohorts do not meet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::core::slow {

using Pair = std::string;  // "flavor/resource"
using Amounts = std::map<Pair, std::int64_t>;

struct Quota {
  std::int64_t nominal = 0;
  std::optional<std::int64_t> borrowing_limit = {};
  std::optional<std::int64_t> lending_limit = {};
};

enum class Allowed : std::uint8_t { never, lower, lower_or_newer_equal, any };

struct Node {
  std::string parent = {};  // empty: none
  bool is_queue = false;
  double weight = 1;
  std::map<Pair, Quota> quotas = {};
  // Of queues.
  Allowed within_queue = Allowed::never;
  Allowed reclaim = Allowed::never;
  bool borrows_while_reclaiming = false;
  std::optional<std::int64_t> threshold = {};
};

struct Held {
  std::string queue;
  std::int64_t priority = 0;
  std::int64_t created = 0;
  std::int64_t reserved = 0;
  std::string uid = {};
  bool is_evicted = false;
  Amounts usage = {};
};

struct Share {
  double ratio = 0;
  double weight = 1;
  bool is_borrowing = false;
};

// Less than, equal or greater than zero.
int compare(const Share& a, const Share& b);

struct SlowWorld {
  std::map<std::string, Node> nodes;
  std::map<std::string, Held> workloads;
  std::map<std::string, Amounts> extra;  // usage of a queue without a workload
  // Whether the preemptor finds a place beside the workloads that are left; empty: it needs none.
  std::function<bool(const SlowWorld&)> has_place = {};

  std::vector<std::string> children(const std::string& node, bool queues) const;
  std::string root(const std::string& node) const;
  std::vector<std::string> path(const std::string& node) const;  // parent to root

  std::int64_t subtree(const std::string& node, const Pair& pair) const;
  std::int64_t local_quota(const std::string& node, const Pair& pair) const;
  std::int64_t usage(const std::string& node, const Pair& pair) const;
  std::int64_t local_available(const std::string& node, const Pair& pair) const;
  std::int64_t available(const std::string& node, const Pair& pair) const;
  std::int64_t potential(const std::string& node, const Pair& pair) const;
  std::int64_t nominal(const std::string& node, const Pair& pair) const;
  int height(const std::string& node) const;
  Share share(const std::string& node) const;
};

}  // namespace muster::core::slow
