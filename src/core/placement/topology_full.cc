// The search with leaders, scores of preferred affinity, or balance.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/placement/topology_balanced.h"
#include "core/placement/topology_order.h"
#include "core/placement/topology_search.h"

namespace muster::core {

namespace {

using List = DomainOrder::List;

class FullSearch {
 public:
  FullSearch(const TopologyTree& tree, const TopologyShape& shape, TopologyState& state)
      : tree_(tree), shape_(shape), state_(&state) {}

  bool run(std::vector<DomainPick>& picks, Shortfall& shortfall) {
    std::size_t level = shape_.level;
    List chosen;
    auto balanced = shape_.balanced ? find_balanced(tree_, shape_, *state_) : std::nullopt;
    if (balanced) {
      state_ = &balanced->state;
      level = balanced->level;
      chosen = std::move(balanced->domains);
    } else if (!find_level(level, chosen, shortfall)) {
      return false;
    }
    picks = order(level).fewest(std::move(chosen), all_of_it());
    const std::size_t lowest = tree_.height() - 1;
    while (!balanced && level < std::min(lowest, shape_.slice_level)) {
      List children;
      for (const DomainPick& pick : picks) append_children(level, pick.domain, children);
      const DomainOrder below = order(++level);
      picks = below.fewest(below.sorted(std::move(children)), all_of_it());
    }
    for (; level < lowest; ++level) share_out(level, picks);
    std::ranges::sort(picks, {}, &DomainPick::domain);
    return true;
  }

 private:
  DomainOrder order(std::size_t level) { return {shape_, *state_, level}; }

  Share all_of_it() const { return {shape_.count, shape_.leaders, shape_.slice_size}; }

  void append_children(std::size_t level, std::uint32_t domain, List& into) const {
    const std::vector<std::uint32_t>& first = tree_.level(level).first_child;
    for (std::uint32_t child = first[domain]; child < first[domain + 1]; ++child) {
      into.push_back(child);
    }
  }

  bool takes_all(const DomainOrder& order, std::uint32_t domain) const {
    return order.units_with_leader(domain, Unit::slices) >= shape_.slices() &&
           order.numbers().leaders[domain] >= shape_.leaders;
  }

  // With the least free first: the first domain in that order that takes all.
  bool find_least_free(const DomainOrder& order, const List& sorted, List& chosen) const {
    for (const std::uint32_t domain : sorted) {
      const bool fits = shape_.leaders > 0 ? takes_all(order, domain)
                                           : order.units(domain, Unit::slices) >= shape_.slices();
      if (!fits) continue;
      chosen.assign(1, domain);
      return true;
    }
    return false;
  }

  // With preferred affinity a domain of lower score may take all where the best one does not.
  bool find_lower_score(const DomainOrder& order, const List& sorted, List& chosen) const {
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (!takes_all(order, sorted[i])) continue;
      const auto rest = std::span(sorted).subspan(i);
      chosen.assign(1, order.best_fit(rest, shape_.slices(), shape_.leaders, Unit::slices));
      return true;
    }
    return false;
  }

  bool find_level(std::size_t& level, List& chosen, Shortfall& shortfall) {
    for (;; --level) {
      shortfall.level = level;
      const DomainOrder order = this->order(level);
      List sorted = order.sorted_for_leaders(domains_between(0, tree_.level(level).width));
      if (shape_.least_free) {
        if (find_least_free(order, sorted, chosen)) return true;
        if (shape_.required) {
          shortfall.fit = order.numbers().pods[sorted.back()];
          return false;
        }
      } else if (takes_all(order, sorted.front())) {
        chosen.assign(1, order.best_fit(sorted, shape_.slices(), shape_.leaders, Unit::slices));
        return true;
      }
      if (shape_.required) {
        shortfall.fit = order.numbers().slices[sorted.front()];
        return shape_.scored && find_lower_score(order, sorted, chosen);
      }
      if (level == 0 || shape_.unconstrained) {
        return several_domains(order, std::move(sorted), chosen, shortfall);
      }
    }
  }

  // A domain for the leader first, then for the workers that are left.
  bool several_domains(const DomainOrder& order, List sorted, List& chosen,
                       Shortfall& shortfall) const {
    std::int64_t left = shape_.slices();
    std::int64_t leaders = shape_.leaders;
    chosen.clear();
    sorted = order.leader_first(std::move(sorted), all_of_it());
    const auto rest_from = [&](std::size_t i) { return std::span(sorted).subspan(i); };
    const auto narrow = [](std::int64_t number) { return static_cast<std::int32_t>(number); };
    std::size_t next = 0;
    for (; leaders > 0 && next < sorted.size() && order.numbers().leaders[sorted[next]] > 0;
         ++next) {
      std::uint32_t domain = sorted[next];
      if (!shape_.least_free && order.units_with_leader(domain, Unit::slices) >= left) {
        domain = order.best_fit(rest_from(next), narrow(left), narrow(leaders), Unit::slices);
      }
      chosen.push_back(domain);
      leaders -= order.numbers().leaders[domain];
      left -= order.units_with_leader(domain, Unit::slices);
    }
    if (leaders > 0) {
      shortfall.fit = narrow(shape_.leaders - leaders);
      return false;
    }
    const auto others = rest_from(next);
    sorted = order.sorted(List(others.begin(), others.end()));
    for (std::size_t i = 0; left > 0 && i < sorted.size(); ++i) {
      std::uint32_t domain = sorted[i];
      if (!shape_.least_free && order.units(domain, Unit::slices) >= left) {
        domain = order.best_fit(rest_from(i), narrow(left), 0, Unit::slices);
      }
      chosen.push_back(domain);
      left -= order.units(domain, Unit::slices);
    }
    shortfall.fit = narrow(shape_.slices() - left);
    return left <= 0;
  }

  // Each pick's pods and leader among its own children.
  void share_out(std::size_t level, std::vector<DomainPick>& picks) {
    std::int32_t size = shape_.slice_size;
    if (level >= shape_.slice_level) size = std::max(shape_.inner_sizes[level + 1], 1);
    const DomainOrder below = order(level + 1);
    std::vector<DomainPick> shares;
    for (const DomainPick& pick : picks) {
      List children;
      append_children(level, pick.domain, children);
      children = below.sorted(std::move(children));
      if (size > 1) {
        // The slices counted before were those of the outermost layer.
        TopologyState::Domains& numbers = below.numbers();
        for (const std::uint32_t child : children) {
          numbers.slices[child] = numbers.pods[child] / size;
          numbers.slices_with_leader[child] = numbers.pods_with_leader[child] / size;
        }
      }
      const Share share{pick.pods, pick.leaders, size, size > 1 ? Unit::slices : Unit::pods};
      const std::vector<DomainPick> found = below.fewest(std::move(children), share);
      shares.insert(shares.end(), found.begin(), found.end());
    }
    picks = std::move(shares);
  }

  const TopologyTree& tree_;
  const TopologyShape& shape_;
  TopologyState* state_;
};

}  // namespace

bool full_search(const TopologyTree& tree, const TopologyShape& shape, TopologyState& state,
                 std::vector<DomainPick>& picks, Shortfall& shortfall) {
  return FullSearch(tree, shape, state).run(picks, shortfall);
}

}  // namespace muster::core
