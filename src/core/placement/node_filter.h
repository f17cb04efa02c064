// Which nodes may take a pod, apart from room: ready, schedulable, labels, taints. Every refusal is
// tallied, so that the answer to "why nowhere" can be given in one sentence.
//
//   Exclusions why;
//   if (const auto refusal = refuses(node, name, wish)) why.add(*refusal);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/rows.h"
#include "core/model/scheduling_terms.h"
#include "core/model/short_list.h"

namespace muster::core {

// What pods that go together ask of a node.
struct NodeWish {
  const SchedulingTerms* terms = nullptr;
  // Their labels must match, their tolerations help.
  ShortList<const ResourceFlavor*, 2> flavors = {};
};

// Why a node takes no pod: the words of Kueue's tally (`taint "…"`, `nodeSelector`) and of
// kube-scheduler's events.
struct Refusal {
  std::string tally;
  std::string sentence;

  friend auto operator<=>(const Refusal&, const Refusal&) = default;
};

std::optional<Refusal> refuses(const NodeRow& node, std::string_view name, const NodeWish& wish);

// Parts of that question: whether its labels are those that are asked for, and whether a taint
// keeps the pods away.
bool has_asked_labels(const NodeRow& node, std::string_view name, const NodeWish& wish);
bool has_untolerated_taint(const NodeRow& node, const NodeWish& wish);

// Taints that keep nobody away and that the pods would rather avoid (PreferNoSchedule).
std::int64_t count_discouraging_taints(const NodeRow& node, const NodeWish& wish);

// The refusals of many nodes, counted.
class Exclusions {
 public:
  void add(const Refusal& refusal, std::int64_t times = 1) { counts_[refusal] += times; }

  // `affinity: 2, resource "cpu": 1`, sorted
  std::string tally() const;
  // `1 Insufficient cpu, 2 node(s) had untolerated taint(s)`, sorted
  std::string sentence() const;

 private:
  std::map<Refusal, std::int64_t> counts_;
};

}  // namespace muster::core
