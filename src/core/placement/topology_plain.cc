// The search without leaders, scores and balance, which is nearly every search.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "core/placement/topology_search.h"

namespace muster::core {

namespace {

using Ranges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
using Keyed = SearchScratch::Keyed;

constexpr std::int32_t number_max = std::numeric_limits<std::int32_t>::max();
constexpr std::uint32_t no_domain = TopologyTree::no_leaf;

// Counting equal domains pays while there are more of them than numbers.
constexpr std::int32_t bucket_max = 4'096;
constexpr std::size_t sorted_best_max = 24;

// Domains to choose from, and what counts in them.
struct Selection {
  const Ranges* ranges = nullptr;
  const std::int32_t* units = nullptr;  // slices, or pods
  const std::int32_t* pods = nullptr;
  std::int32_t unit_pods = 1;   // pods of a unit; above 1 with `units` the pods: units are cut
  std::int32_t needed = 0;      // units
  bool largest_first = false;   // and the last one is the best fit; else the smallest first
  bool orders_by_units = true;  // before pods; else by pods alone
};

std::int32_t units_at(const Selection& from, std::uint32_t domain) {
  return from.orders_by_units ? from.units[domain] : from.pods[domain] / from.unit_pods;
}

// Takes whole buckets of equal domains; the first by rank of each.
bool select_by_counting(const Selection& from, std::int32_t largest, SearchScratch& scratch,
                        std::vector<DomainPick>& picks) {
  std::vector<std::uint32_t>& quota = scratch.buckets;
  quota.assign(static_cast<std::size_t>(largest) + 1, 0);
  for (const auto& [first, last] : *from.ranges) {
    for (std::uint32_t i = first; i < last; ++i) ++quota[static_cast<std::size_t>(from.units[i])];
  }
  std::int32_t left = from.needed;
  std::int32_t final_size = 0;  // of the domain that takes the rest
  std::uint32_t total = 0;
  const auto take_from = [&](std::int32_t size) {
    std::uint32_t& bucket = quota[static_cast<std::size_t>(size)];
    const auto whole = static_cast<std::uint32_t>((left - 1) / size);
    const std::uint32_t taken = std::min(bucket, whole);
    const std::uint32_t rest = bucket - taken;
    bucket = taken;
    total += taken;
    left -= static_cast<std::int32_t>(taken) * size;
    if (rest == 0) return;
    final_size = size;
    if (!from.largest_first) return;
    for (std::int32_t smaller = left; smaller < size; ++smaller) {
      if (quota[static_cast<std::size_t>(smaller)] == 0) continue;
      final_size = smaller;
      break;
    }
  };
  std::int32_t size = from.largest_first ? largest : 1;
  while (final_size == 0 && size >= 1 && size <= largest) {
    take_from(size);
    size += from.largest_first ? -1 : 1;
  }
  if (final_size == 0) return false;
  // What was not looked at gives nothing; the last one is one more of its bucket.
  const std::int32_t reached = from.largest_first ? size + 1 : size - 1;
  const auto last_size = static_cast<std::size_t>(final_size);
  if (from.largest_first) {
    std::fill(quota.begin(), quota.begin() + reached, 0);
  } else {
    std::fill(quota.begin() + reached + 1, quota.end(), 0);
  }
  quota[0] = 0;
  ++quota[last_size];
  ++total;
  for (const auto& [first, last] : *from.ranges) {
    for (std::uint32_t i = first; i < last && total > 0; ++i) {
      const std::int32_t units = from.units[i];
      std::uint32_t& remaining = quota[static_cast<std::size_t>(units)];
      if (remaining == 0) continue;
      --remaining;
      --total;
      const bool is_last = units == final_size && remaining == 0;
      picks.push_back({i, (is_last ? left : units) * from.unit_pods, 0});
    }
  }
  return true;
}

std::uint64_t sort_key(const Selection& from, std::uint32_t domain) {
  const auto pods = static_cast<std::uint32_t>(from.pods[domain]);
  if (!from.orders_by_units) return pods;
  const auto units = static_cast<std::uint32_t>(from.units[domain]);
  const std::uint32_t order = from.largest_first ? ~units : units;
  return (std::uint64_t{order} << 32U) | pods;
}

// Of the sorted domains from `begin` on, the first with the fewest units that are enough.
std::size_t best_fit(const Selection& from, std::span<const Keyed> sorted, std::size_t begin,
                     std::int32_t left) {
  std::size_t best = begin;
  for (std::size_t i = begin; i < sorted.size(); ++i) {
    const std::int32_t units = units_at(from, sorted[i].domain);
    if (units >= left && units < units_at(from, sorted[best].domain)) best = i;
  }
  return best;
}

bool select_by_sorting(const Selection& from, SearchScratch& scratch,
                       std::vector<DomainPick>& picks) {
  std::vector<Keyed>& sorted = scratch.keyed;
  sorted.clear();
  for (const auto& [first, last] : *from.ranges) {
    for (std::uint32_t i = first; i < last; ++i) {
      if (units_at(from, i) > 0) sorted.push_back({sort_key(from, i), i});
    }
  }
  if (!std::ranges::is_sorted(sorted)) std::ranges::sort(sorted);
  std::int32_t left = from.needed;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::int32_t units = units_at(from, sorted[i].domain);
    if (units < left) {
      picks.push_back({sorted[i].domain, units * from.unit_pods, 0});
      left -= units;
      continue;
    }
    const std::size_t last = from.largest_first ? best_fit(from, sorted, i, left) : i;
    picks.push_back({sorted[last].domain, left * from.unit_pods, 0});
    std::ranges::sort(picks, {}, &DomainPick::domain);
    return true;
  }
  return false;
}

// The domains that take what is needed, by rank. False: they are too few.
bool select(const Selection& from, SearchScratch& scratch, std::vector<DomainPick>& picks) {
  picks.clear();
  if (from.needed <= 0) return true;
  std::int32_t largest = 0;
  std::size_t candidates = 0;
  for (const auto& [first, last] : *from.ranges) {
    candidates += last - first;
    for (std::uint32_t i = first; i < last; ++i) largest = std::max(largest, from.units[i]);
  }
  const bool has_no_ties = from.units == from.pods && from.unit_pods == 1;
  if (has_no_ties && candidates > sorted_best_max && largest <= bucket_max) {
    return select_by_counting(from, largest, scratch, picks);
  }
  return select_by_sorting(from, scratch, picks);
}

class PlainSearch {
 public:
  PlainSearch(const TopologyTree& tree, const TopologyShape& shape, const TopologyState& state,
              SearchScratch& scratch)
      : tree_(tree), shape_(shape), state_(state), scratch_(scratch) {}

  bool run(std::vector<DomainPick>& picks, Shortfall& shortfall) {
    std::size_t level = shape_.level;
    if (!find_level(level, picks, shortfall)) return false;
    const std::size_t lowest = tree_.height() - 1;
    for (; level < std::min(lowest, shape_.slice_level); ++level) pool_children(level, picks);
    for (; level < lowest; ++level) share_out(level, picks);
    return true;
  }

 private:
  // The one domain that takes all and has the least room for it.
  std::uint32_t single_domain(std::size_t level) const {
    const std::int32_t* slices = state_.slices(level);
    const std::int32_t* pods = state_.pods(level);
    const std::int32_t needed = shape_.slices();
    std::uint32_t best = no_domain;
    std::int32_t best_slices = number_max;
    std::int32_t best_pods = number_max;
    const std::uint32_t width = tree_.level(level).width;
    for (std::uint32_t i = 0; i < width; ++i) {
      if (slices[i] < needed || slices[i] > best_slices) continue;
      if (best != no_domain && slices[i] == best_slices && pods[i] >= best_pods) continue;
      best = i;
      best_slices = slices[i];
      best_pods = pods[i];
    }
    return best;
  }

  bool find_level(std::size_t& level, std::vector<DomainPick>& picks, Shortfall& shortfall) {
    for (;; --level) {
      shortfall.level = level;
      const std::uint32_t single = single_domain(level);
      if (single != no_domain) {
        picks.assign(1, {single, shape_.slices() * shape_.slice_size, 0});
        return true;
      }
      if (shape_.required) {
        shortfall.fit = best_of(level);
        return false;
      }
      if (level == 0 || shape_.unconstrained) return several_domains(level, picks, shortfall);
    }
  }

  bool several_domains(std::size_t level, std::vector<DomainPick>& picks, Shortfall& shortfall) {
    scratch_.ranges.assign(1, {0, tree_.level(level).width});
    if (select(slices_of(level), scratch_, picks)) return true;
    std::int64_t fit = 0;
    for (std::uint32_t i = 0; i < tree_.level(level).width; ++i) fit += state_.slices(level)[i];
    shortfall.fit = saturating_cast<std::int32_t>(fit);
    return false;
  }

  // What the first domain takes in the order of the search; with the least free first it is what
  // the last one takes, in pods.
  std::int32_t best_of(std::size_t level) const {
    const std::int32_t* slices = state_.slices(level);
    const std::int32_t* pods = state_.pods(level);
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < tree_.level(level).width; ++i) {
      const bool is_more = slices[i] > slices[best] ||
                           (shape_.least_free && slices[i] == slices[best] && pods[i] > pods[best]);
      if (is_more) best = i;
    }
    return shape_.least_free ? pods[best] : slices[best];
  }

  Selection slices_of(std::size_t level) const {
    return {.ranges = &scratch_.ranges,
            .units = state_.slices(level),
            .pods = state_.pods(level),
            .unit_pods = shape_.slice_size,
            .needed = shape_.slices(),
            .largest_first = !shape_.least_free};
  }

  // Above the level of slices: the children of all picks together.
  void pool_children(std::size_t level, std::vector<DomainPick>& picks) {
    const std::vector<std::uint32_t>& first = tree_.level(level).first_child;
    scratch_.ranges.clear();
    for (const DomainPick& pick : picks) {
      scratch_.ranges.emplace_back(first[pick.domain], first[pick.domain + 1]);
    }
    if (!select(slices_of(level + 1), scratch_, scratch_.next)) scratch_.next.clear();
    picks.swap(scratch_.next);
  }

  // At and below the level of slices: each pick's pods among its own children, the fullest first.
  void share_out(std::size_t level, std::vector<DomainPick>& picks) {
    const std::vector<std::uint32_t>& first = tree_.level(level).first_child;
    const std::int32_t size = std::max(shape_.inner_sizes[level + 1], 1);
    const std::int32_t* pods = state_.pods(level + 1);
    shares_.clear();
    for (const DomainPick& pick : picks) {
      scratch_.ranges.assign(1, {first[pick.domain], first[pick.domain + 1]});
      const Selection from{.ranges = &scratch_.ranges,
                           .units = pods,
                           .pods = pods,
                           .unit_pods = size,
                           .needed = pick.pods / size,
                           .largest_first = false,
                           .orders_by_units = false};
      if (!select(from, scratch_, scratch_.next)) continue;
      shares_.insert(shares_.end(), scratch_.next.begin(), scratch_.next.end());
    }
    picks.swap(shares_);
  }

  const TopologyTree& tree_;
  const TopologyShape& shape_;
  const TopologyState& state_;
  SearchScratch& scratch_;
  std::vector<DomainPick> shares_;
};

}  // namespace

bool plain_search(const TopologyTree& tree, const TopologyShape& shape, const TopologyState& state,
                  SearchScratch& scratch, std::vector<DomainPick>& picks, Shortfall& shortfall) {
  return PlainSearch(tree, shape, state, scratch).run(picks, shortfall);
}

}  // namespace muster::core
