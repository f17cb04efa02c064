// Whatever is done to a forest, every figure in it is the one that the slow definition gives, and a
// trial leaves no trace.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/admission/fair_share.h"
#include "core/model/tables.h"
#include "tests/plan/dice.h"
#include "tests/plan/slow_quota.h"

namespace muster::core {
namespace {

using Pair = SlowQuota::Pair;

// The same forest twice.
class TwoForests {
 public:
  TwoForests(Dice& dice, bool absurd) : dice_(dice), absurd_(absurd) {
    for (const char* flavor : {"spot", "on-demand", "ghost"}) {
      for (const char* resource : {"cpu", "gpu"}) {
        const FlavorId id = tables_.flavors.hold(flavor);
        pairs_[{flavor, resource}] =
            tables_.flavor_resource(id, tables_.names.intern(resource).must());
      }
    }
  }

  void change() {
    switch (dice_.below(10)) {
      case 0:
        return add(fmt::format("c{}", dice_.below(5)), false);
      case 1:
        return add(fmt::format("q{}", dice_.below(6)), true);
      case 2:
        return remove();
      case 3:
        return move();
      case 4:
        return give_quota();
      case 5:
        return hide();
      default:
        return use();
    }
  }

  std::string difference() const {
    for (const auto& [name, node] : ids_) {
      const std::string problem = difference_at(name, node);
      if (!problem.empty()) return problem;
    }
    return "";
  }

  // Some usage taken and given back within trials, some of them in others.
  void try_things(int depth) {
    Trial trial(tables_.undo);
    const SlowQuota before = slow_;
    for (std::int64_t i = 0; i < 3; ++i) {
      use_in(trial);
      RC_ASSERT(difference() == "");
    }
    if (depth > 0 && dice_.below(2) == 0) try_things(depth - 1);
    if (depth < 2 && dice_.below(2) == 0) {
      trial.commit();  // vanishes with the outer one
    } else {
      slow_ = before;
    }
  }

  void try_and_forget() {
    const SlowQuota before = slow_;
    try_things(2);
    slow_ = before;
    RC_ASSERT(difference() == "");
    RC_ASSERT(tables_.undo.empty());
  }

 private:
  std::string any_node() const {
    if (ids_.empty()) return "";
    auto at = ids_.begin();
    std::advance(at, dice_.below(static_cast<std::int64_t>(ids_.size())));
    return at->first;
  }

  std::string any_queue() const {
    std::vector<std::string> queues;
    for (const auto& [name, node] : slow_.nodes) {
      if (node.is_queue) queues.push_back(name);
    }
    if (queues.empty()) return "";
    return queues[static_cast<std::size_t>(dice_.below(static_cast<std::int64_t>(queues.size())))];
  }

  Pair any_pair(bool with_ghost) const {
    const std::vector<std::string> flavors{"spot", "on-demand", "ghost"};
    return {flavors[static_cast<std::size_t>(dice_.below(with_ghost ? 3 : 2))],
            dice_.below(2) == 0 ? "cpu" : "gpu"};
  }

  std::int64_t any_quota() const {
    if (!absurd_ || dice_.below(2) == 0) return dice_.below(20);
    const std::vector<std::int64_t> all{unlimited, unlimited - 1, std::int64_t{1} << 62,
                                        1'000'000'000 * (std::int64_t{1} << 30)};
    return all[static_cast<std::size_t>(dice_.below(4))];
  }

  std::optional<std::int64_t> any_limit() const {
    if (dice_.below(2) == 0) return std::nullopt;
    return any_quota();
  }

  void add(const std::string& name, bool is_queue) {
    if (ids_.contains(name)) return;
    ids_[name] = is_queue ? tables_.quota.add_cluster_queue(ClusterQueueId(0), name)
                          : tables_.quota.add_cohort(CohortId(0), name);
    slow_.nodes[name] = {.is_queue = is_queue};
  }

  void remove() {
    const std::string name = any_node();
    if (name.empty() || !slow_.children(name).empty()) return;
    tables_.quota.remove(ids_.at(name));
    slow_.nodes.erase(name);
    ids_.erase(name);
  }

  void move() {
    const std::string name = any_node();
    const std::string parent = any_node();
    if (name.empty() || slow_.nodes.at(parent).is_queue) return;
    const bool to_root = dice_.below(4) == 0;
    tables_.quota.set_parent(ids_.at(name), to_root ? QuotaNodeId::none() : ids_.at(parent));
    slow_.nodes.at(name).parent = to_root ? "" : parent;
  }

  void give_quota() {
    const std::string name = any_node();
    if (name.empty()) return;
    std::map<Pair, SlowQuota::Quota>& quotas = slow_.nodes.at(name).quotas;
    quotas.clear();
    std::vector<NodeQuota> given;
    for (std::int64_t i = dice_.below(4); i > 0; --i) {
      const Pair pair = any_pair(false);
      if (quotas.contains(pair)) continue;
      const SlowQuota::Quota quota{any_quota(), any_limit(), any_limit()};
      quotas[pair] = quota;
      given.push_back({pairs_.at(pair), quota.nominal, quota.borrowing_limit, quota.lending_limit});
    }
    tables_.quota.set_quotas(ids_.at(name), given);
    slow_.nodes.at(name).weight = static_cast<double>(dice_.below(3));
    tables_.quota.set_fair_weight(ids_.at(name), slow_.nodes.at(name).weight);
  }

  void hide() {
    const std::string name = any_queue();
    if (name.empty()) return;
    slow_.nodes.at(name).takes_part = dice_.below(2) == 0;
    tables_.quota.set_visible(ids_.at(name), slow_.nodes.at(name).takes_part);
  }

  void use() {
    const std::string name = any_queue();
    if (name.empty()) return;
    const Pair pair = any_pair(true);
    std::int64_t& used = slow_.nodes.at(name).used[pair];
    if (dice_.below(3) == 0) {
      const std::int64_t amount = dice_.below(used + 1);
      tables_.quota.remove_usage(ids_.at(name), pairs_.at(pair), amount);
      used -= amount;
    } else {
      const std::int64_t amount = dice_.below(15);
      tables_.quota.add_usage(ids_.at(name), pairs_.at(pair), amount);
      used += amount;
    }
  }

  // A trial only touches what the queue has cells for.
  void use_in(Trial& trial) {
    const std::string name = any_queue();
    if (name.empty() || slow_.has_cycle(name)) return;
    SlowQuota::Node& node = slow_.nodes.at(name);
    const Pair pair = any_pair(true);
    if (!node.quotas.contains(pair) && !node.used.contains(pair)) return;
    std::int64_t& used = node.used[pair];
    if (dice_.below(2) == 0) {
      const std::int64_t amount = dice_.below(used + 1);
      tables_.quota.remove_usage(trial, ids_.at(name), pairs_.at(pair), amount);
      used -= amount;
    } else {
      const std::int64_t amount = dice_.below(25);
      tables_.quota.add_usage(trial, ids_.at(name), pairs_.at(pair), amount);
      used += amount;
    }
  }

  std::string difference_at(const std::string& name, QuotaNodeId node) const {
    const QuotaForest& quota = tables_.quota;
    if (quota.has_cycle(node) != slow_.has_cycle(name)) return name + ": cycle";
    if (slow_.has_cycle(name)) {
      return quota.root(node).is_none() && quota.cell_count(node) == 0 ? "" : name + ": figures";
    }
    for (const auto& [pair, id] : pairs_) {
      const std::vector<std::pair<std::int64_t, std::int64_t>> figures{
          {quota.subtree(node, id), slow_.subtree(name, pair)},
          {quota.local_quota(node, id), slow_.local_quota(name, pair)},
          {quota.usage(node, id), slow_.usage(name, pair)},
          {quota.available(node, id), slow_.available(name, pair)},
          {quota.potential(node, id), slow_.potential(name, pair)},
          {quota.is_in_subtree(node, id) ? 1 : 0, slow_.names(name, pair) ? 1 : 0},
      };
      for (std::size_t i = 0; i < figures.size(); ++i) {
        if (figures[i].first == figures[i].second) continue;
        return fmt::format("{} {} {} figure {}: {}, by definition {}", name, pair.first,
                           pair.second, i, figures[i].first, figures[i].second);
      }
    }
    const FairShare share = fair_share(tables_, node);
    const SlowQuota::Share want = slow_.share(name);
    const std::string dominant = share.dominant.is_none() ? "" : tables_.names.name(share.dominant);
    if (share.unweighted != want.ratio || dominant != want.resource ||
        share.is_borrowing != want.is_borrowing || share.weight != slow_.nodes.at(name).weight) {
      return fmt::format("{} share: {} of {}, by definition {} of {}", name, share.unweighted,
                         dominant, want.ratio, want.resource);
    }
    return quota.height(node) == slow_.height(name) ? "" : name + ": height";
  }

  Dice& dice_;
  bool absurd_;
  Tables tables_;
  SlowQuota slow_;
  std::map<std::string, QuotaNodeId> ids_;
  std::map<Pair, FlavorResourceId> pairs_;
};

std::vector<std::uint32_t> numbers(std::size_t count) {
  return *rc::gen::container<std::vector<std::uint32_t>>(
      count, rc::gen::inRange<std::uint32_t>(0, 1'000'000));
}

void walk(bool absurd) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 600);
  Dice dice(numbers(size));
  TwoForests forests(dice, absurd);
  while (!dice.is_empty()) {
    // Several changes between two questions are built at once.
    for (std::int64_t i = dice.below(5); i >= 0; --i) forests.change();
    RC_ASSERT(forests.difference() == "");
    if (dice.below(3) == 0) forests.try_and_forget();
  }
}

RC_GTEST_PROP(quota_forest, every_figure_is_what_the_definition_says, ()) {
  walk(false);
}

RC_GTEST_PROP(quota_forest, absurd_quotas_are_counted_as_the_definition_says, ()) {
  walk(true);
}

}  // namespace
}  // namespace muster::core
