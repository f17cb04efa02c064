// SPDX-License-Identifier: Apache-2.0
#include "tests/preemption/slow_targets.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace muster::core::slow {
namespace {

using Names = std::vector<std::string>;

bool may_go(const Held& held, const Preemptor& preemptor, Allowed allowed) {
  switch (allowed) {
    case Allowed::never:
      return false;
    case Allowed::any:
      return true;
    case Allowed::lower:
      return held.priority < preemptor.priority;
    case Allowed::lower_or_newer_equal:
      return held.priority < preemptor.priority ||
             (held.priority == preemptor.priority && preemptor.created < held.created);
  }
  return false;
}

bool is_contested(const Held& held, const Preemptor& preemptor) {
  return std::ranges::any_of(preemptor.contested,
                             [&](const Pair& pair) { return held.usage.contains(pair); });
}

bool is_within_nominal(const SlowWorld& world, const std::string& node,
                       const Preemptor& preemptor) {
  return std::ranges::all_of(preemptor.contested, [&](const Pair& pair) {
    return world.usage(node, pair) <= world.subtree(node, pair);
  });
}

auto order_key(const Held& held, const Preemptor& preemptor) {
  return std::tuple(!held.is_evicted, held.queue == preemptor.queue, held.priority, -held.reserved,
                    held.uid);
}

Names candidates_of(const SlowWorld& world, const std::string& queue, const Preemptor& preemptor,
                    Allowed allowed) {
  Names found;
  for (const auto& [name, held] : world.workloads) {
    if (held.queue == queue && is_contested(held, preemptor) && may_go(held, preemptor, allowed)) {
      found.push_back(name);
    }
  }
  return found;
}

void sort(const SlowWorld& world, Names& names, const Preemptor& preemptor) {
  std::ranges::sort(names, [&](const std::string& a, const std::string& b) {
    return order_key(world.workloads.at(a), preemptor) <
           order_key(world.workloads.at(b), preemptor);
  });
}

Targets put_back(SlowWorld& world, const SlowWorld& original, Targets targets,
                 const Preemptor& preemptor, bool may_borrow) {
  for (std::size_t i = targets.size() - 1; i-- > 0;) {
    const std::string name = targets[i].first;
    world.workloads[name] = original.workloads.at(name);
    if (fits(world, preemptor, may_borrow)) {
      targets[i] = targets.back();
      targets.pop_back();
    } else {
      world.workloads.erase(name);
    }
  }
  return targets;
}

// A candidate of the search without fair shares.
struct Candidate {
  std::string name;
  std::string variant;
  std::string common;  // lowest ancestor shared with the preemptor
};

struct Lists {
  std::vector<Candidate> hierarchical, priority, same;
};

void collect(const SlowWorld& world, const Preemptor& preemptor, const std::string& cohort,
             const std::string& common, const std::set<std::string>& seen, bool has_advantage,
             std::vector<Candidate>& result) {
  const Node& own = world.nodes.at(preemptor.queue);
  for (const std::string& child : world.children(cohort, false)) {
    if (seen.contains(child) || is_within_nominal(world, child, preemptor)) continue;
    collect(world, preemptor, child, common, seen, has_advantage, result);
  }
  for (const std::string& child : world.children(cohort, true)) {
    if (child == preemptor.queue || is_within_nominal(world, child, preemptor)) continue;
    for (const std::string& name : candidates_of(world, child, preemptor, own.reclaim)) {
      const std::int64_t priority = world.workloads.at(name).priority;
      std::string variant = "HierarchicalReclaim";
      if (!has_advantage) {
        const bool may = own.borrows_while_reclaiming && priority < preemptor.priority &&
                         (!own.threshold || priority <= *own.threshold);
        variant = may ? "ReclaimWhileBorrowing" : "ReclaimWithoutBorrowing";
      }
      result.push_back({name, variant, common});
    }
  }
}

Lists collect_all(const SlowWorld& world, const Preemptor& preemptor) {
  Lists lists;
  const Node& own = world.nodes.at(preemptor.queue);
  for (const auto& name : candidates_of(world, preemptor.queue, preemptor, own.within_queue)) {
    lists.same.push_back({name, "WithinQueue", ""});
  }
  if (own.reclaim == Allowed::never) return lists;
  Amounts remaining = preemptor.usage;
  const auto covers = [&](const std::string& node) {
    bool all = true;
    for (auto& [pair, amount] : remaining) {
      if (world.subtree(node, pair) < world.usage(node, pair) + amount) all = false;
      amount = std::max<std::int64_t>(0, amount - world.local_available(node, pair));
    }
    return all;
  };
  bool has_advantage = covers(preemptor.queue);
  std::set<std::string> seen;
  for (const std::string& cohort : world.path(preemptor.queue)) {
    collect(world, preemptor, cohort, cohort, seen, has_advantage,
            has_advantage ? lists.hierarchical : lists.priority);
    if (covers(cohort)) has_advantage = true;
    seen.insert(cohort);
  }
  return lists;
}

std::vector<Candidate> in_order(const SlowWorld& world, const Preemptor& preemptor, Lists lists) {
  std::vector<Candidate> all;
  for (const bool evicted : {true, false}) {
    for (auto* list : {&lists.hierarchical, &lists.priority, &lists.same}) {
      std::ranges::sort(*list, [&](const Candidate& a, const Candidate& b) {
        return order_key(world.workloads.at(a.name), preemptor) <
               order_key(world.workloads.at(b.name), preemptor);
      });
      for (const Candidate& each : *list) {
        if (world.workloads.at(each.name).is_evicted == evicted) all.push_back(each);
      }
    }
  }
  return all;
}

bool may_be_taken(const SlowWorld& world, const Candidate& candidate, const std::string& queue,
                  const Preemptor& preemptor, bool may_borrow) {
  if (queue == preemptor.queue) return true;
  if (may_borrow && candidate.variant == "ReclaimWithoutBorrowing") return false;
  if (is_within_nominal(world, queue, preemptor)) return false;
  for (const std::string& above : world.path(queue)) {
    if (above == candidate.common) break;
    if (is_within_nominal(world, above, preemptor)) return false;
  }
  return true;
}

std::string reason_of(const std::string& variant) {
  if (variant == "WithinQueue") return "InClusterQueue";
  if (variant == "ReclaimWhileBorrowing") return "InCohortReclaimWhileBorrowing";
  return "InCohortReclamation";
}

Targets classical(const SlowWorld& original, const Preemptor& preemptor) {
  const Lists lists = collect_all(original, preemptor);
  const bool forbids = !original.nodes.at(preemptor.queue).borrows_while_reclaiming;
  const bool is_under = std::ranges::all_of(preemptor.contested, [&](const Pair& pair) {
    return original.usage(preemptor.queue, pair) < original.nominal(preemptor.queue, pair);
  });
  std::vector<bool> attempts = {true, false};
  if ((lists.hierarchical.empty() && lists.priority.empty()) || (forbids && !is_under)) {
    attempts = {true};
  } else if (forbids && lists.hierarchical.empty()) {
    attempts = {false, true};
  }
  for (const bool may_borrow : attempts) {
    SlowWorld world = original;
    Targets targets;
    for (const Candidate& each : in_order(original, preemptor, lists)) {
      const std::string queue = original.workloads.at(each.name).queue;
      if (!may_be_taken(world, each, queue, preemptor, may_borrow)) continue;
      world.workloads.erase(each.name);
      targets.emplace_back(each.name, reason_of(each.variant));
      if (fits(world, preemptor, may_borrow)) {
        return put_back(world, original, targets, preemptor, may_borrow);
      }
    }
  }
  return {};
}

}  // namespace

bool fits(const SlowWorld& world, const Preemptor& preemptor, bool may_borrow) {
  if (world.has_place && !world.has_place(world)) return false;
  return std::ranges::all_of(preemptor.usage, [&](const auto& each) {
    const auto& [pair, amount] = each;
    const bool borrows =
        world.usage(preemptor.queue, pair) + amount > world.nominal(preemptor.queue, pair);
    if (!may_borrow && borrows) return false;
    return amount <= std::max<std::int64_t>(0, world.available(preemptor.queue, pair));
  });
}

int borrow_height(const SlowWorld& world, const std::string& queue, const Pair& pair,
                  std::int64_t amount) {
  const Names above = world.path(queue);
  if (above.empty() || world.usage(queue, pair) + amount <= world.nominal(queue, pair)) return 0;
  std::int64_t remaining = amount - world.local_available(queue, pair);
  for (const std::string& cohort : above) {
    if (world.usage(cohort, pair) + remaining <= world.subtree(cohort, pair)) {
      return world.height(cohort);
    }
    remaining -= world.local_available(cohort, pair);
  }
  return world.height(above.back());
}

namespace {

// The search under fair sharing.
struct Fair {
  const SlowWorld& original;
  const Preemptor& preemptor;
  const Rules& rules;
  SlowWorld world;
  std::map<std::string, Names> waiting;  // by queue, in order
  std::set<std::string> pruned;
  Names retries;
  Targets targets;

  Fair(const SlowWorld& given, const Preemptor& who, const Rules& by)
      : original(given), preemptor(who), rules(by), world(given) {}

  bool fits_now() {
    SlowWorld without = world;
    without.extra.clear();
    return fits(without, preemptor, true);
  }

  bool goes_before(const std::string& a, const std::string& b) {
    return order_key(original.workloads.at(waiting[a].front()), preemptor) <
           order_key(original.workloads.at(waiting[b].front()), preemptor);
  }

  std::string next_below(const std::string& cohort) {
    std::string best_queue, best_cohort;
    for (const std::string& queue : world.children(cohort, true)) {
      if (pruned.contains(queue)) continue;
      const Share share = world.share(queue);
      if ((!share.is_borrowing && queue != preemptor.queue) || waiting[queue].empty()) {
        pruned.insert(queue);
        continue;
      }
      const int order = best_queue.empty() ? 1 : compare(share, world.share(best_queue));
      if (order > 0 || (order == 0 && goes_before(queue, best_queue))) best_queue = queue;
    }
    const Names above = world.path(preemptor.queue);
    for (const std::string& child : world.children(cohort, false)) {
      if (pruned.contains(child)) continue;
      const Share share = world.share(child);
      if (!share.is_borrowing && std::ranges::find(above, child) == above.end()) {
        pruned.insert(child);
      } else if (best_cohort.empty() || compare(share, world.share(best_cohort)) >= 0) {
        best_cohort = child;
      }
    }
    if (best_queue.empty() && best_cohort.empty()) {
      pruned.insert(cohort);
      return "";
    }
    const bool cohort_wins =
        !best_cohort.empty() &&
        (best_queue.empty() || compare(world.share(best_cohort), world.share(best_queue)) >= 0);
    return cohort_wins ? next_below(best_cohort) : best_queue;
  }

  std::string next_queue() {
    if (world.nodes.at(preemptor.queue).parent.empty()) {
      return waiting[preemptor.queue].empty() ? "" : preemptor.queue;
    }
    const std::string root = world.root(preemptor.queue);
    while (!pruned.contains(root)) {
      const std::string found = next_below(root);
      if (!found.empty()) return found;
    }
    return "";
  }

  // The two nodes below the lowest common ancestor: the preemptor's side and the other.
  std::pair<std::string, std::string> rivals(const std::string& queue) {
    const Names above = world.path(preemptor.queue);
    std::string other = queue;
    while (std::ranges::find(above, world.nodes.at(other).parent) == above.end()) {
      other = world.nodes.at(other).parent;
    }
    std::string own = preemptor.queue;
    while (world.nodes.at(own).parent != world.nodes.at(other).parent) {
      own = world.nodes.at(own).parent;
    }
    return {own, other};
  }

  std::string pop(const std::string& queue) {
    const std::string name = waiting[queue].front();
    waiting[queue].erase(waiting[queue].begin());
    return name;
  }

  bool take(const std::string& name, const std::string& reason) {
    world.workloads.erase(name);
    targets.emplace_back(name, reason);
    return fits_now();
  }

  bool passes(const std::string& queue, const std::string& name, Strategy strategy) {
    const auto [own, other] = rivals(queue);
    const Share mine = world.share(own);
    if (strategy == Strategy::initial_share) return compare(mine, world.share(other)) < 0;
    SlowWorld without = world;
    without.workloads.erase(name);
    return compare(mine, without.share(other)) <= 0;
  }

  bool first_round() {
    const bool is_within =
        rules.within_nominal && std::ranges::all_of(preemptor.contested, [&](const Pair& pair) {
          return world.usage(preemptor.queue, pair) <= world.nominal(preemptor.queue, pair);
        });
    for (std::string queue = next_queue(); !queue.empty(); queue = next_queue()) {
      if (queue == preemptor.queue) {
        if (take(pop(queue), "InClusterQueue")) return true;
        continue;
      }
      if (is_within) {
        if (take(pop(queue), "InCohortReclamation")) return true;
        continue;
      }
      while (!waiting[queue].empty()) {
        const std::string name = pop(queue);
        if (passes(queue, name, rules.strategies.front())) {
          if (take(name, "InCohortFairSharing")) return true;
          break;
        }
        retries.push_back(name);
      }
    }
    return false;
  }

  bool second_round() {
    pruned.clear();
    waiting.clear();
    for (const auto& name : retries) waiting[original.workloads.at(name).queue].push_back(name);
    for (std::string queue = next_queue(); !queue.empty(); queue = next_queue()) {
      const bool goes = passes(queue, "", Strategy::initial_share);
      const std::string name = pop(queue);
      if (goes && take(name, "InCohortFairSharing")) return true;
      pruned.insert(queue);
    }
    return false;
  }

  Targets search() {
    const Node& own = original.nodes.at(preemptor.queue);
    Names candidates = candidates_of(original, preemptor.queue, preemptor, own.within_queue);
    for (const auto& [queue, node] : original.nodes) {
      const std::string& name = queue;
      if (!node.is_queue || name == preemptor.queue || own.parent.empty()) continue;
      if (original.root(name) != original.root(preemptor.queue)) continue;
      const bool borrows = std::ranges::any_of(preemptor.contested, [&](const Pair& pair) {
        return original.usage(name, pair) > original.nominal(name, pair);
      });
      if (!borrows) continue;
      const Names more = candidates_of(original, name, preemptor, own.reclaim);
      candidates.insert(candidates.end(), more.begin(), more.end());
    }
    sort(original, candidates, preemptor);
    for (const auto& name : candidates) waiting[original.workloads.at(name).queue].push_back(name);
    world.extra[preemptor.queue] = preemptor.usage;
    bool done = first_round();
    if (!done && rules.strategies.size() > 1) done = second_round();
    world.extra.clear();
    return done ? put_back(world, original, targets, preemptor, true) : Targets{};
  }
};

}  // namespace

Targets find_targets(SlowWorld world, const Preemptor& preemptor, const Rules& rules) {
  if (!rules.fair_sharing) return classical(world, preemptor);
  return Fair(world, preemptor, rules).search();
}

}  // namespace muster::core::slow
