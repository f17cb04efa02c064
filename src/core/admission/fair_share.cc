// SPDX-License-Identifier: Apache-2.0
#include "core/admission/fair_share.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/model/quota_amount.h"

namespace muster::core {

namespace {

// Trees with more resources than this take a list from the heap.
constexpr std::size_t usual_resources = 32;

int order(double a, double b) {
  return a < b ? -1 : (a > b ? 1 : 0);
}

// What the node uses beyond its quota, for each resource of its tree. Answers whether any.
bool sum_borrowed(const QuotaForest& quota, QuotaNodeId node, std::span<std::int64_t> sums) {
  bool any = false;
  for (std::size_t i = 0; i < quota.cell_count(node); ++i) {
    const QuotaForest::Cell cell = quota.cell(node, i);
    if (!cell.is_in_subtree) continue;
    const std::int64_t borrowed = amount_minus(cell.usage, cell.subtree);
    if (borrowed <= 0) continue;
    any = true;
    sums[cell.resource] = amount_plus(sums[cell.resource], borrowed);
  }
  return any;
}

}  // namespace

double FairShare::weighted() const {
  if (is_zero()) return 0;
  if (weight == 0) return std::numeric_limits<double>::infinity();
  return unweighted / weight;
}

std::int64_t FairShare::rounded_weighted() const {
  return rounded_up(weighted());
}

std::int64_t rounded_up(double share) {
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  const double whole = std::ceil(share);
  return whole >= static_cast<double>(largest) ? largest : static_cast<std::int64_t>(whole);
}

int compare(const FairShare& a, const FairShare& b) {
  if (a.is_infinite() && b.is_infinite()) return order(a.unweighted, b.unweighted);
  if (a.is_infinite()) return 1;
  if (b.is_infinite()) return -1;
  return order(a.weighted(), b.weighted());
}

FairShare fair_share(const Tables& tables, QuotaNodeId node) {
  const QuotaForest& quota = tables.quota;
  FairShare share{.weight = quota.fair_weight(node)};
  const QuotaNodeId parent = quota.parent(node);
  if (parent.is_none()) return share;
  const std::span<const ResourceId> resources = quota.resources(node);
  std::array<std::int64_t, usual_resources> few{};
  std::vector<std::int64_t> many;
  std::span<std::int64_t> sums(few.data(), std::min(few.size(), resources.size()));
  if (resources.size() > few.size()) {
    many.resize(resources.size());
    sums = many;
  }
  share.is_borrowing = sum_borrowed(quota, node, sums);
  if (!share.is_borrowing) return share;
  const std::span<const std::int64_t> lendable = quota.lendable(parent);
  for (std::size_t i = 0; i < resources.size(); ++i) {
    if (sums[i] <= 0 || lendable[i] <= 0) continue;
    const double ratio = static_cast<double>(sums[i]) * 1000.0 / static_cast<double>(lendable[i]);
    // Resources come in the order of their names: the first of equals stays.
    if (ratio <= share.unweighted) continue;
    share.unweighted = ratio;
    share.dominant = resources[i];
  }
  return share;
}

bool is_borrowing_on(const Tables& tables, QuotaNodeId node, const Usage& requested) {
  if (!tables.quota.has_parent(node)) return false;
  return std::ranges::any_of(requested, [&](const FlavorUsage& entry) {
    return entry.amount > 0 && tables.quota.is_in_subtree(node, entry.flavor_resource) &&
           tables.quota.is_borrowing(node, entry.flavor_resource);
  });
}

}  // namespace muster::core
