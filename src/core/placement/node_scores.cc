// SPDX-License-Identifier: Apache-2.0
#include "core/placement/node_scores.h"

#include <algorithm>

#include "base/checked.h"

namespace muster::core {

namespace {

constexpr std::int64_t best_score = 100;
constexpr std::int64_t taints_weight = 3;
constexpr std::int64_t affinity_weight = 2;

// In hundredths of the greatest; all 0 where that is 0.
std::vector<std::int64_t> in_hundredths(std::vector<std::int64_t> amounts) {
  const std::int64_t most = amounts.empty() ? 0 : std::ranges::max(amounts);
  for (std::int64_t& amount : amounts) {
    amount = most > 0 ? saturating_multiply(amount, best_score) / most : 0;
  }
  return amounts;
}

}  // namespace

std::vector<std::int64_t> score_nodes(const Tables& tables, const NodeWish& wish,
                                      std::span<const NodeId> nodes) {
  std::vector<std::int64_t> affinities;
  std::vector<std::int64_t> taints;
  for (const NodeId id : nodes) {
    const NodeRow& node = tables.nodes[id];
    affinities.push_back(wish.terms->score(node.spec.labels, tables.nodes.key(id)));
    taints.push_back(count_discouraging_taints(node, wish));
  }
  affinities = in_hundredths(std::move(affinities));
  taints = in_hundredths(std::move(taints));
  std::vector<std::int64_t> scores;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    scores.push_back(affinity_weight * affinities[i] + taints_weight * (best_score - taints[i]));
  }
  return scores;
}

}  // namespace muster::core
