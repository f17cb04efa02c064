// SPDX-License-Identifier: Apache-2.0
#include "tests/topology/slow_topology.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace muster::core::slow {

namespace {

constexpr std::int64_t endless = std::numeric_limits<std::int32_t>::max();

bool is_below(const Path& path, const Path& domain) {
  return path.size() >= domain.size() && std::equal(domain.begin(), domain.end(), path.begin());
}

}  // namespace

SlowTopology::SlowTopology(std::size_t height, std::vector<SlowNode> nodes, SlowRequest request)
    : height_(height), nodes_(std::move(nodes)), request_(std::move(request)) {
  slice_level_ = height_ - 1;
  if (!request_.layers.empty()) {
    slice_size_ = request_.layers.front().size;
    slice_level_ = request_.layers.front().level;
  }
}

std::vector<Path> SlowTopology::domains(std::size_t level) const {
  std::set<Path> found;
  for (const SlowNode& node : nodes_) {
    found.emplace(node.path.begin(), node.path.begin() + static_cast<std::ptrdiff_t>(level) + 1);
  }
  return {found.begin(), found.end()};
}

std::vector<Path> SlowTopology::children(const Path& domain) const {
  std::vector<Path> found;
  for (const Path& path : domains(domain.size())) {
    if (is_below(path, domain)) found.push_back(path);
  }
  return found;
}

// How often a pod fits into the nodes of a leaf.
std::int64_t SlowTopology::times(const Path& leaf, const Room& pod, bool after_leader) const {
  Room free;
  for (const SlowNode& node : nodes_) {
    if (node.path != leaf) continue;
    if (!node.matches) return 0;
    for (const auto& [resource, amount] : node.free) free[resource] += amount;
  }
  if (after_leader) {
    for (const auto& [resource, amount] : *request_.leader) free[resource] -= amount;
  }
  std::int64_t least = endless;
  for (const auto& [resource, amount] : pod) {
    if (amount == 0) continue;
    least = std::min(least, std::max<std::int64_t>(0, free[resource] / amount));
  }
  return least;
}

// Pods below this level come in multiples, where a layer inside the outermost one says so.
std::int64_t SlowTopology::inner_size(std::size_t level) const {
  std::int64_t size = 1;
  std::size_t above = slice_level_;
  for (std::size_t i = 1; i < request_.layers.size(); ++i) {
    if (level > above && level <= request_.layers[i].level) size = request_.layers[i].size;
    above = request_.layers[i].level;
  }
  return size;
}

std::int64_t SlowTopology::pods(const Path& domain) const {
  if (domain.size() == height_) return times(domain, request_.pod, false);
  const std::int64_t size = inner_size(domain.size());
  std::int64_t sum = 0;
  for (const Path& child : children(domain)) sum += pods(child) / size * size;
  return sum;
}

std::int64_t SlowTopology::leaders(const Path& domain) const {
  if (!request_.leader) return 0;
  if (domain.size() == height_) return times(domain, *request_.leader, false) > 0 ? 1 : 0;
  std::int64_t most = 0;
  for (const Path& child : children(domain)) most = std::max(most, leaders(child));
  return most;
}

std::int64_t SlowTopology::pods_beside(const Path& domain) const {
  if (domain.size() == height_) return times(domain, request_.pod, leaders(domain) > 0);
  const std::int64_t size = inner_size(domain.size());
  std::optional<std::int64_t> cost;
  for (const Path& child : children(domain)) {
    if (request_.leader && leaders(child) == 0) continue;
    const std::int64_t lost = pods(child) / size * size - pods_beside(child) / size * size;
    cost = std::min(cost.value_or(lost), lost);
  }
  return cost ? pods(domain) - *cost : 0;
}

std::int64_t SlowTopology::slices(const Path& domain) const {
  const std::size_t level = domain.size() - 1;
  if (level == slice_level_) return pods(domain) / slice_size_;
  if (level > slice_level_) return 0;
  std::int64_t sum = 0;
  for (const Path& child : children(domain)) sum += slices(child);
  return sum;
}

std::int64_t SlowTopology::slices_beside(const Path& domain) const {
  const std::size_t level = domain.size() - 1;
  if (level == slice_level_) return pods_beside(domain) / slice_size_;
  if (level > slice_level_) return 0;
  std::optional<std::int64_t> cost;
  for (const Path& child : children(domain)) {
    if (request_.leader && leaders(child) == 0) continue;
    const std::int64_t lost = slices(child) - slices_beside(child);
    cost = std::min(cost.value_or(lost), lost);
  }
  return cost ? slices(domain) - *cost : 0;
}

SlowTopology::Order SlowTopology::by_slices(std::vector<Path> list) const {
  const std::int64_t sign = request_.least_free ? 1 : -1;
  std::ranges::sort(list, {}, [&](const Path& domain) {
    return std::tuple(sign * slices(domain), pods(domain), domain);
  });
  return list;
}

SlowTopology::Order SlowTopology::by_slices_beside(std::vector<Path> list) const {
  const std::int64_t sign = request_.least_free ? 1 : -1;
  std::ranges::sort(list, {}, [&](const Path& domain) {
    return std::tuple(-leaders(domain), sign * slices_beside(domain), pods_beside(domain), domain);
  });
  return list;
}

std::int64_t SlowTopology::units(const Path& domain, std::int64_t size, Unit unit) const {
  if (unit == Unit::pods) return pods(domain);
  return domain.size() - 1 > slice_level_ ? pods(domain) / size : slices(domain);
}

std::int64_t SlowTopology::units_beside(const Path& domain, std::int64_t size, Unit unit) const {
  if (unit == Unit::pods) return pods_beside(domain);
  return domain.size() - 1 > slice_level_ ? pods_beside(domain) / size : slices_beside(domain);
}

Path SlowTopology::best_fit(const Order& rest, std::int64_t needed, std::int64_t want_leaders,
                            std::int64_t size, Unit unit) const {
  std::optional<std::pair<std::int64_t, Path>> best;
  for (const Path& domain : rest) {
    if (leaders(domain) < want_leaders) continue;
    const std::int64_t has =
        want_leaders > 0 ? units_beside(domain, size, unit) : units(domain, size, unit);
    if (has >= needed && (!best || has < best->first)) best = {has, domain};
  }
  return best ? best->second : rest.front();
}

SlowTopology::Order SlowTopology::with_leader_first(Order order, SlowPods what, std::int64_t size,
                                                    Unit unit) const {
  if (what.leaders == 0) return order;
  const std::int64_t needed = unit == Unit::slices ? what.workers / size : what.workers;
  std::int64_t all = 0;
  for (const Path& domain : order) all += units(domain, size, unit);
  for (auto at = order.begin(); at != order.end(); ++at) {
    if (leaders(*at) < what.leaders) continue;
    if (all - (units(*at, size, unit) - units_beside(*at, size, unit)) < needed) continue;
    const Path first = *at;
    order.erase(at);
    order.insert(order.begin(), first);
    break;
  }
  return order;
}

SlowPlaces SlowTopology::hand_out(Order order, SlowPods what, std::int64_t size, Unit unit) const {
  order = with_leader_first(std::move(order), what, size, unit);
  const std::int64_t each = unit == Unit::slices ? size : 1;
  std::int64_t left = what.workers / each;
  SlowPlaces places;
  while (!order.empty()) {
    Path domain = order.front();
    const bool wants_leader = what.leaders > 0;
    std::int64_t has = wants_leader ? units_beside(domain, size, unit) : units(domain, size, unit);
    if (has >= left && leaders(domain) >= what.leaders) {
      if (!request_.least_free) domain = best_fit(order, left, what.leaders, size, unit);
      places[domain] = {left * each, what.leaders};
      return places;
    }
    has = std::min(has, left);
    const std::int64_t led = std::min(what.leaders, leaders(domain));
    places[domain] = {has * each, led};
    left -= has;
    what.leaders -= led;
    order.erase(order.begin());
  }
  return {};
}

bool SlowTopology::find_several(Order sorted, Order& chosen) {
  std::int64_t left = request_.count / slice_size_;
  std::int64_t want_leaders = request_.leader ? 1 : 0;
  const std::int64_t wanted = left;
  sorted = with_leader_first(std::move(sorted), {request_.count, want_leaders}, slice_size_,
                             Unit::slices);
  while (want_leaders > 0 && !sorted.empty() && leaders(sorted.front()) > 0) {
    Path domain = sorted.front();
    if (!request_.least_free && slices_beside(domain) >= left) {
      domain = best_fit(sorted, left, want_leaders, slice_size_, Unit::slices);
    }
    chosen.push_back(domain);
    want_leaders -= leaders(domain);
    left -= slices_beside(domain);
    sorted.erase(sorted.begin());
  }
  if (want_leaders > 0) {
    fit_ = 0;
    return false;
  }
  sorted = by_slices(sorted);
  while (left > 0 && !sorted.empty()) {
    Path domain = sorted.front();
    if (!request_.least_free && slices(domain) >= left) {
      domain = best_fit(sorted, left, 0, slice_size_, Unit::slices);
    }
    chosen.push_back(domain);
    left -= slices(domain);
    sorted.erase(sorted.begin());
  }
  fit_ = wanted - left;
  return left <= 0;
}

bool SlowTopology::find(std::size_t& level, Order& chosen) {
  const std::int64_t wanted = request_.count / slice_size_;
  const std::int64_t want_leaders = request_.leader ? 1 : 0;
  const Order sorted = by_slices_beside(domains(level));
  const auto takes_all = [&](const Path& domain) {
    return slices_beside(domain) >= wanted && leaders(domain) >= want_leaders;
  };
  if (request_.least_free) {
    for (const Path& domain : sorted) {
      if (!takes_all(domain)) continue;
      chosen = {domain};
      return true;
    }
  } else if (takes_all(sorted.front())) {
    chosen = {best_fit(sorted, wanted, want_leaders, slice_size_, Unit::slices)};
    return true;
  }
  if (request_.required) {
    fit_ = request_.least_free ? pods(sorted.back()) : slices(sorted.front());
    return false;
  }
  if (level > 0 && !request_.unconstrained) return find(--level, chosen);
  return find_several(sorted, chosen);
}

std::optional<SlowPlaces> SlowTopology::place() {
  std::size_t level = request_.level;
  Order chosen;
  if (!find(level, chosen)) return std::nullopt;
  const SlowPods everything{request_.count, request_.leader ? 1 : 0};
  SlowPlaces places = hand_out(chosen, everything, slice_size_, Unit::slices);
  for (; level + 1 < height_; ++level) {
    if (level < slice_level_) {
      Order pool;
      for (const auto& [domain, what] : places) {
        for (const Path& child : children(domain)) pool.push_back(child);
      }
      places = hand_out(by_slices(pool), everything, slice_size_, Unit::slices);
      continue;
    }
    const std::int64_t size = inner_size(level + 1);
    SlowPlaces below;
    for (const auto& [domain, what] : places) {
      below.merge(
          hand_out(by_slices(children(domain)), what, size, size > 1 ? Unit::slices : Unit::pods));
    }
    places = below;
  }
  std::erase_if(places, [](const auto& entry) {
    return entry.second.workers == 0 && entry.second.leaders == 0;
  });
  return places;
}

}  // namespace muster::core::slow
