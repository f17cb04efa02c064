// SPDX-License-Identifier: Apache-2.0
#include "core/placement/topology_order.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace muster::core {

std::vector<std::uint32_t> domains_between(std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> domains(last - first);
  std::iota(domains.begin(), domains.end(), first);
  return domains;
}

DomainOrder::List DomainOrder::sorted(List domains) const {
  const std::int64_t direction = shape_.least_free ? 1 : -1;
  const auto key = [&](std::uint32_t i) {
    const std::int64_t score = shape_.scored ? at_.scores[i] : 0;
    return std::tuple(-score, direction * at_.slices[i], at_.pods[i], i);
  };
  // Equal domains stand in order already.
  if (!std::ranges::is_sorted(domains, {}, key)) std::ranges::sort(domains, {}, key);
  return domains;
}

DomainOrder::List DomainOrder::sorted_for_leaders(List domains) const {
  const std::int64_t direction = shape_.least_free ? 1 : -1;
  const auto key = [&](std::uint32_t i) {
    const std::int64_t score = shape_.scored ? at_.scores[i] : 0;
    return std::tuple(-at_.leaders[i], -score, direction * at_.slices_with_leader[i],
                      at_.pods_with_leader[i], i);
  };
  // Equal domains stand in order already.
  if (!std::ranges::is_sorted(domains, {}, key)) std::ranges::sort(domains, {}, key);
  return domains;
}

// Scores come before fit: only domains with the score of the first are compared.
std::span<const std::uint32_t> DomainOrder::best_scored(
    std::span<const std::uint32_t> sorted) const {
  if (!shape_.scored || sorted.empty()) return sorted;
  const auto other = std::ranges::find_if(sorted, [&](std::uint32_t domain) {
    return at_.scores[domain] != at_.scores[sorted.front()];
  });
  return sorted.first(static_cast<std::size_t>(other - sorted.begin()));
}

std::uint32_t DomainOrder::best_fit(std::span<const std::uint32_t> sorted, std::int32_t needed,
                                    std::int32_t leaders, Unit unit) const {
  const std::span<const std::uint32_t> candidates = best_scored(sorted);
  std::uint32_t best = candidates.front();
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  for (const std::uint32_t domain : candidates) {
    if (at_.leaders[domain] < leaders) continue;
    const std::int32_t count = leaders > 0 ? units_with_leader(domain, unit) : units(domain, unit);
    if (count < needed || count >= least) continue;
    best = domain;
    least = count;
  }
  return best;
}

DomainOrder::List DomainOrder::leader_first(List sorted, const Share& share) const {
  if (share.leaders == 0 || sorted.size() < 2) return sorted;
  const bool by_slices = share.unit == Unit::slices;
  const std::int64_t needed = by_slices ? share.count / share.size : share.count;
  std::int64_t available = 0;
  for (const std::uint32_t domain : sorted) available += units(domain, share.unit);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::uint32_t domain = sorted[i];
    if (at_.leaders[domain] < share.leaders) continue;
    const std::int32_t cost = units(domain, share.unit) - units_with_leader(domain, share.unit);
    if (available - cost < needed) continue;
    std::rotate(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(i),
                sorted.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return sorted;
  }
  return sorted;
}

std::vector<DomainPick> DomainOrder::fewest(List domains, const Share& share) const {
  const List sorted = leader_first(std::move(domains), share);
  const std::int32_t size = share.unit == Unit::slices ? share.size : 1;
  std::int32_t left = share.unit == Unit::slices ? share.count / share.size : share.count;
  std::int32_t leaders = share.leaders;
  std::vector<DomainPick> picks;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::span<const std::uint32_t> rest = std::span(sorted).subspan(i);
    std::uint32_t domain = sorted[i];
    const auto enough = [&](std::uint32_t candidate) {
      if (leaders == 0) return units(candidate, share.unit) >= left;
      return units_with_leader(candidate, share.unit) >= left && at_.leaders[candidate] >= leaders;
    };
    if (enough(domain)) {
      if (!shape_.least_free) domain = best_fit(rest, left, leaders, share.unit);
      picks.push_back({domain, left * size, leaders});
      return picks;
    }
    const std::int32_t all =
        leaders > 0 ? units_with_leader(domain, share.unit) : units(domain, share.unit);
    const std::int32_t taken = std::min(all, left);
    const std::int32_t taken_leaders = std::min(at_.leaders[domain], leaders);
    picks.push_back({domain, taken * size, taken_leaders});
    left -= taken;
    leaders -= taken_leaders;
  }
  return {};
}

}  // namespace muster::core
