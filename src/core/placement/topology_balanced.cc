// SPDX-License-Identifier: Apache-2.0
#include "core/placement/topology_balanced.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "core/placement/topology_order.h"

namespace muster::core {

namespace {

using List = DomainOrder::List;
using Numbers = TopologyState::Domains;

// What filling the largest domains first comes to.
struct Filled {
  std::int32_t domains = 0;
  std::optional<std::uint32_t> last_with_leader;
  std::optional<std::uint32_t> last;
};

std::optional<Filled> fill_largest(const DomainOrder& order, const TopologyShape& shape,
                                   List domains) {
  const Numbers& numbers = order.numbers();
  Filled filled;
  std::int64_t left = shape.slices();
  std::int32_t leaders = shape.leaders;
  if (leaders > 0) {
    domains = order.sorted_for_leaders(std::move(domains));
    std::size_t next = 0;
    for (; leaders > 0 && next < domains.size() && numbers.leaders[domains[next]] > 0; ++next) {
      ++filled.domains;
      filled.last_with_leader = domains[next];
      leaders -= numbers.leaders[domains[next]];
      left -= numbers.slices_with_leader[domains[next]];
    }
    domains.erase(domains.begin(), domains.begin() + static_cast<std::ptrdiff_t>(next));
  }
  if (leaders > 0) return std::nullopt;
  domains = order.sorted(std::move(domains));
  for (const std::uint32_t domain : domains) {
    if (left <= 0 || numbers.slices[domain] <= 0) break;
    ++filled.domains;
    filled.last = domain;
    left -= numbers.slices[domain];
  }
  if (left > 0 || filled.domains == 0) return std::nullopt;
  return filled;
}

// How evenly the pods of a domain are spread over its children, in bits.
double entropy(const Numbers& below, std::uint32_t first, std::uint32_t last) {
  std::int64_t total = 0;
  for (std::uint32_t i = first; i < last; ++i) total += below.pods[i];
  double bits = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    if (below.pods[i] <= 0) continue;
    const double part = static_cast<double>(below.pods[i]) / static_cast<double>(total);
    bits += -part * std::log2(part);
  }
  return bits;
}

// Sets of domains by what they leave over: for each number of domains, leaders and pods that are
// left the first set that leads there is kept, as a chain from its last domain to its first.
class LeftOver {
 public:
  LeftOver(std::size_t domains_max, std::int32_t leaders, std::int64_t pods)
      : sets_(domains_max + 1), fresh_(domains_max + 1) {
    sets_[0].emplace(Left{leaders, pods}, no_link);
    fresh_[0].push_back({leaders, pods});
  }

  // The domain may join every set. One that is like the one before can lead nowhere new but from
  // the sets which that one made.
  void add(std::uint32_t domain, const Numbers& numbers) {
    const bool is_like_last = last_ && numbers.leaders[*last_] == numbers.leaders[domain] &&
                              numbers.pods[*last_] == numbers.pods[domain] &&
                              numbers.slices[*last_] == numbers.slices[domain] &&
                              numbers.pods_with_leader[*last_] == numbers.pods_with_leader[domain];
    const std::size_t longest = std::min(longest_ + 1, sets_.size() - 1);
    for (std::size_t size = longest; size > 0; --size) {
      std::vector<Left> made;
      const auto join = [&](const Left& before, std::uint32_t link) {
        extend(size, before, link, domain, numbers, made);
      };
      if (is_like_last) {
        for (const Left& before : fresh_[size - 1]) join(before, sets_[size - 1].at(before));
      } else {
        for (const auto& [before, link] : sets_[size - 1]) join(before, link);
      }
      std::ranges::sort(made);
      fresh_[size] = std::move(made);
    }
    fresh_[0].clear();
    if (!sets_[longest].empty()) longest_ = longest;
    last_ = domain;
  }

  // With all leaders placed and the fewest pods to spare.
  List best() const {
    std::uint32_t link = no_link;
    for (const auto& [left, last] : sets_.back()) {
      if (left.first == 0 && left.second <= 0) link = last;
    }
    List domains;
    for (; link != no_link; link = links_[link].before) domains.push_back(links_[link].domain);
    std::ranges::reverse(domains);
    return domains;
  }

 private:
  using Left = std::pair<std::int64_t, std::int64_t>;  // leaders, pods
  struct Link {
    std::uint32_t domain;
    std::uint32_t before;
  };
  static constexpr std::uint32_t no_link = 0xffffffffU;

  void extend(std::size_t size, const Left& before, std::uint32_t link, std::uint32_t domain,
              const Numbers& numbers, std::vector<Left>& made) {
    const auto& [leaders, pods] = before;
    if (leaders <= 0 && pods <= 0) return;
    const auto keep = [&](const Left& after) {
      const auto [at, is_new] = sets_[size].emplace(after, links_.size());
      if (!is_new) return;
      links_.push_back({domain, link});
      made.push_back(after);
    };
    if (leaders > 0 && numbers.leaders[domain] > 0) {
      keep({leaders - numbers.leaders[domain], pods - numbers.pods_with_leader[domain]});
    }
    if (numbers.slices[domain] > 0) keep({leaders, pods - numbers.pods[domain]});
  }

  std::vector<std::map<Left, std::uint32_t>> sets_;  // by number of domains
  std::vector<std::vector<Left>> fresh_;             // made by the last domain
  std::vector<Link> links_;
  std::size_t longest_ = 0;
  std::optional<std::uint32_t> last_;
};

class Balance {
 public:
  Balance(const TopologyTree& tree, const TopologyShape& shape, const TopologyState& state)
      : tree_(tree), shape_(shape), original_(state), state_(state) {}

  std::optional<Balanced> run() {
    for (const List& group : groups()) consider(group);
    if (threshold_ <= 0) return std::nullopt;
    domains_after_pruning(best_, threshold_);
    Balanced result{.state = std::move(state_), .level = shape_.level, .domains = {}};
    List domains = best_;
    if (shape_.level < shape_.slice_level) {
      domains = optimal_set(result.state, shape_.level, domains, true);
      if (domains.empty()) return std::nullopt;
      domains = children_of(shape_.level, domains);
      ++result.level;
    }
    if (!place(result.state, result.level, domains)) return std::nullopt;
    result.domains = std::move(domains);
    return result;
  }

 private:
  List children_of(std::size_t level, const List& domains) const {
    const std::vector<std::uint32_t>& first = tree_.level(level).first_child;
    List children;
    for (const std::uint32_t domain : domains) {
      for (std::uint32_t i = first[domain]; i < first[domain + 1]; ++i) children.push_back(i);
    }
    return children;
  }

  // Siblings at the level that was asked for: each group could hold everything.
  std::vector<List> groups() const {
    if (shape_.level == 0) return {domains_between(0, tree_.level(0).width)};
    std::vector<List> all;
    const TopologyLevel& above = tree_.level(shape_.level - 1);
    for (std::uint32_t i = 0; i < above.width; ++i) {
      all.push_back(domains_between(above.first_child[i], above.first_child[i + 1]));
    }
    return all;
  }

  void consider(const List& group) {
    const bool has_lower = shape_.level < shape_.slice_level;
    const DomainOrder lower(shape_, state_, has_lower ? shape_.level + 1 : shape_.level);
    const auto filled =
        fill_largest(lower, shape_, has_lower ? children_of(shape_.level, group) : group);
    if (!filled) return;
    const Numbers& numbers = lower.numbers();
    std::int32_t threshold = shape_.slices() / filled->domains;
    if (filled->last_with_leader) {
      threshold = std::min(threshold, numbers.slices_with_leader[*filled->last_with_leader]);
    }
    if (filled->last) threshold = std::min(threshold, numbers.slices[*filled->last]);
    std::int32_t reserved = threshold;  // with room for the leader in every domain
    if (shape_.leaders > 0 && filled->last) {
      reserved = std::min(threshold, numbers.slices_with_leader[*filled->last]);
    }
    if (threshold < threshold_) return;
    auto count = domains_after_pruning(group, threshold);
    restore(group);
    if (!count && reserved < threshold) {
      if (reserved <= 0 || reserved < threshold_) return;
      threshold = reserved;
      count = domains_after_pruning(group, threshold);
      restore(group);
    }
    if (!count) return;
    const bool is_better =
        threshold > threshold_ || (threshold == threshold_ && *count < best_count_);
    if (!is_better) return;
    threshold_ = threshold;
    best_count_ = *count;
    best_ = group;
  }

  std::optional<std::int32_t> domains_after_pruning(const List& group, std::int32_t threshold) {
    if (shape_.level + 1 < tree_.height()) {
      for (const std::uint32_t child : children_of(shape_.level, group)) {
        prune(shape_.level + 1, child, threshold);
      }
    }
    for (const std::uint32_t domain : group) {
      state_.roll_up_again(tree_, shape_, shape_.level, domain);
      prune(shape_.level, domain, threshold);
    }
    const auto filled = fill_largest(DomainOrder(shape_, state_, shape_.level), shape_, group);
    if (!filled) return std::nullopt;
    return filled->domains;
  }

  // What pruning changed: the domains of the group and everything below them, ranges all of them.
  void restore(const List& group) {
    if (group.empty()) return;
    std::uint32_t first = group.front();
    std::uint32_t last = group.back() + 1;
    for (std::size_t at = shape_.level; at < tree_.height(); ++at) {
      state_.copy_range(original_, at, first, last);
      if (at + 1 == tree_.height()) break;
      first = tree_.level(at).first_child[first];
      last = tree_.level(at).first_child[last];
    }
  }

  // A domain below the threshold takes nothing; one that is below it beside a leader takes none.
  void prune(std::size_t level, std::uint32_t domain, std::int32_t threshold) {
    const Numbers& numbers = state_.at(level);
    if (numbers.slices[domain] < threshold) {
      clear(level, domain, true);
    } else if (shape_.leaders > 0 && numbers.leaders[domain] > 0 &&
               numbers.slices_with_leader[domain] < threshold) {
      clear(level, domain, false);
    }
  }

  void clear(std::size_t level, std::uint32_t domain, bool all) {
    Numbers& numbers = state_.at(level);
    if (all) numbers.pods[domain] = 0;
    if (all) numbers.slices[domain] = 0;
    numbers.pods_with_leader[domain] = 0;
    numbers.slices_with_leader[domain] = 0;
    numbers.leaders[domain] = 0;
    if (level + 1 == tree_.height()) return;
    const std::vector<std::uint32_t>& first = tree_.level(level).first_child;
    for (std::uint32_t i = first[domain]; i < first[domain + 1]; ++i) clear(level + 1, i, all);
  }

  List in_order(TopologyState& state, std::size_t level, List domains, bool by_entropy) const {
    std::ranges::sort(domains);
    if (!by_entropy) return domains;
    const Numbers& numbers = state.at(level);
    const std::vector<std::uint32_t>& first = tree_.level(level).first_child;
    std::vector<std::tuple<std::int32_t, std::int32_t, double, std::uint32_t>> keyed;
    for (const std::uint32_t i : domains) {
      const double bits = entropy(state.at(level + 1), first[i], first[i + 1]);
      keyed.emplace_back(-numbers.leaders[i], -numbers.slices_with_leader[i], -bits, i);
    }
    std::ranges::sort(keyed);
    domains.clear();
    for (const auto& key : keyed) domains.push_back(std::get<3>(key));
    return domains;
  }

  // As few domains as filling the largest needs, with the least room to spare in pods.
  List optimal_set(TopologyState& state, std::size_t level, const List& domains,
                   bool by_entropy) const {
    const DomainOrder order(shape_, state, level);
    const auto filled = fill_largest(order, shape_, domains);
    if (!filled) return {};
    LeftOver sets(static_cast<std::size_t>(filled->domains), shape_.leaders,
                  std::int64_t{shape_.slices()} * shape_.slice_size);
    for (const std::uint32_t domain : in_order(state, level, domains, by_entropy)) {
      sets.add(domain, order.numbers());
    }
    return sets.best();
  }

  // Every domain gets the threshold, the first ones what is left over.
  bool place(TopologyState& state, std::size_t level, List& domains) const {
    domains = optimal_set(state, level, domains, false);
    const auto count = static_cast<std::int64_t>(domains.size());
    if (count == 0 || shape_.slices() < count * threshold_) return false;
    const DomainOrder order(shape_, state, level);
    domains = order.sorted_for_leaders(std::move(domains));
    auto extra = static_cast<std::int32_t>(shape_.slices() - count * threshold_);
    std::int32_t leaders = shape_.leaders;
    Numbers& numbers = order.numbers();
    for (const std::uint32_t domain : domains) {
      std::int32_t more = 0;
      const bool has_leader = leaders > 0;
      if (has_leader) {
        more = std::min(numbers.slices_with_leader[domain] - threshold_, extra);
        --leaders;
      } else if (extra > 0) {
        more = std::min(numbers.slices[domain] - threshold_, extra);
      }
      numbers.leaders[domain] = has_leader ? 1 : 0;
      numbers.slices[domain] = threshold_ + more;
      numbers.pods[domain] = numbers.slices[domain] * shape_.slice_size;
      numbers.slices_with_leader[domain] = numbers.slices[domain];
      numbers.pods_with_leader[domain] = numbers.pods[domain] - numbers.leaders[domain];
      extra -= more;
    }
    return extra <= 0 && leaders <= 0;
  }

  const TopologyTree& tree_;
  const TopologyShape& shape_;
  const TopologyState& original_;
  TopologyState state_;  // a copy, in which one group at a time is pruned
  std::int32_t threshold_ = 0;
  std::int32_t best_count_ = 0;
  List best_;
};

}  // namespace

std::optional<Balanced> find_balanced(const TopologyTree& tree, const TopologyShape& shape,
                                      const TopologyState& state) {
  return Balance(tree, shape, state).run();
}

}  // namespace muster::core
