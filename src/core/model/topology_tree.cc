// SPDX-License-Identifier: Apache-2.0
#include "core/model/topology_tree.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "core/words.h"

namespace muster::core {

namespace {

std::string join(std::span<const std::string> values) {
  std::string joined;
  for (const std::string& value : values) {
    if (&value != values.data()) joined += ',';
    joined += value;
  }
  return joined;
}

// Products of absurd amounts stop at the largest, the same on both sides of zero: what is taken
// comes back.
std::int64_t product(std::int64_t amount, std::int64_t times) {
  const bool is_negative = (amount < 0) != (times < 0);
  return checked_multiply(amount, times).value_or(is_negative ? -unlimited : unlimited);
}

}  // namespace

TopologyTree::TopologyTree(std::uint64_t number, std::string topology,
                           std::vector<std::string> level_keys, std::span<const TopologyNode> nodes)
    : number_(number),
      topology_(std::move(topology)),
      level_keys_(std::move(level_keys)),
      is_by_host_(!level_keys_.empty() && level_keys_.back() == words::hostname_label),
      levels_(level_keys_.size()) {
  std::vector<const TopologyNode*> own;  // the first node of every leaf
  std::vector<const TopologyNode*> shared;
  if (is_by_host_) {
    std::unordered_map<std::string_view, const TopologyNode*> hosts;
    for (const TopologyNode& node : nodes) {
      (hosts.emplace(node.values.back(), &node).second ? own : shared).push_back(&node);
    }
  } else {
    for (const TopologyNode& node : nodes) own.push_back(&node);
  }
  std::ranges::stable_sort(
      own, [](const TopologyNode* a, const TopologyNode* b) { return a->values < b->values; });
  const auto remember = [&](const TopologyNode& node, std::uint32_t leaf) {
    if (node.id.index() >= leaf_of_node_.size()) {
      leaf_of_node_.resize(node.id.index() + 1, no_leaf);
    }
    leaf_of_node_[node.id.index()] = leaf;
  };
  const TopologyNode* before = nullptr;
  for (const TopologyNode* node : own) {
    if (before == nullptr || before->values != node->values) {
      for (const std::string_view value : node->values) values_.emplace_back(value);
      node_of_leaf_.push_back(node->id);
    }
    remember(*node, static_cast<std::uint32_t>(node_of_leaf_.size() - 1));
    before = node;
  }
  build_levels();
  for (const TopologyNode* node : shared) {
    const std::string host(node->values.back());
    remember(*node, leaf_ids_.at(host));
  }
}

// Level by level from the leaves up: a domain begins where its values change.
void TopologyTree::build_levels() {
  const auto leaf_count = static_cast<std::uint32_t>(node_of_leaf_.size());
  if (levels_.empty()) return;
  const auto same = [&](std::uint32_t a, std::uint32_t b, std::size_t depth) {
    const auto first = values(a);
    return std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(depth),
                      values(b).begin());
  };
  std::vector<std::uint32_t> first_leaf(leaf_count);
  for (std::uint32_t leaf = 0; leaf < leaf_count; ++leaf) first_leaf[leaf] = leaf;
  levels_.back().width = leaf_count;
  for (std::size_t at = levels_.size() - 1; at > 0; --at) {
    TopologyLevel& upper = levels_[at - 1];
    std::vector<std::uint32_t> upper_leaf;
    for (std::uint32_t child = 0; child < levels_[at].width; ++child) {
      if (child == 0 || !same(first_leaf[child - 1], first_leaf[child], at)) {
        upper.first_child.push_back(child);
        upper_leaf.push_back(first_leaf[child]);
      }
      levels_[at].parent.push_back(static_cast<std::uint32_t>(upper_leaf.size() - 1));
    }
    upper.width = static_cast<std::uint32_t>(upper_leaf.size());
    upper.first_child.push_back(levels_[at].width);
    first_leaf = std::move(upper_leaf);
  }
  leaf_ids_.reserve(leaf_count);
  for (std::uint32_t leaf = 0; leaf < leaf_count; ++leaf) {
    leaf_ids_.emplace(join(assigned_values(leaf)), leaf);
  }
  stamps_.resize(leaf_count, 0);
  block_stamps_.resize((leaf_count + leaves_per_block - 1) / leaves_per_block, 0);
}

std::size_t TopologyTree::find_level(std::string_view key) const {
  return static_cast<std::size_t>(std::ranges::find(level_keys_, key) - level_keys_.begin());
}

std::uint32_t TopologyTree::find_leaf(std::span<const std::string> values) const {
  const auto found =
      values.size() == 1 ? leaf_ids_.find(values.front()) : leaf_ids_.find(join(values));
  return found == leaf_ids_.end() ? no_leaf : found->second;
}

std::uint32_t TopologyTree::ancestor(std::uint32_t leaf, std::size_t level) const {
  std::uint32_t domain = leaf;
  for (std::size_t at = height() - 1; at > level; --at) domain = levels_[at].parent[domain];
  return domain;
}

std::pair<std::uint32_t, std::uint32_t> TopologyTree::leaves_below(std::size_t level,
                                                                   std::uint32_t domain) const {
  std::uint32_t begin = domain;
  std::uint32_t end = domain + 1;
  for (std::size_t at = level; at + 1 < height(); ++at) {
    begin = levels_[at].first_child[begin];
    end = levels_[at].first_child[end];
  }
  return {begin, end};
}

std::size_t TopologyTree::make_column(ResourceId resource) {
  if (resource.index() >= column_of_.size()) column_of_.resize(resource.index() + 1, no_column);
  std::size_t& at = column_of_[resource.index()];
  if (at != no_column) return at;
  at = free_.size();
  // Whole blocks, so that counting has no loose end.
  const std::size_t cells = block_stamps_.size() * leaves_per_block;
  for (Columns* columns : {&free_, &room_, &others_}) columns->emplace_back(cells, 0);
  return at;
}

bool TopologyTree::has_columns_for(const Amounts& amounts) const {
  return std::ranges::all_of(
      amounts, [&](const Amount& entry) { return column(entry.resource) != no_column; });
}

void TopologyTree::touch(std::uint32_t leaf) {
  stamps_[leaf] = ++last_stamp_;
  block_stamps_[leaf / leaves_per_block] = last_stamp_;
}

void TopologyTree::try_touch(Trial& trial, std::uint32_t leaf) {
  ++last_stamp_;
  std::int64_t& block = block_stamps_[leaf / leaves_per_block];
  trial.add(stamps_[leaf], last_stamp_ - stamps_[leaf]);
  trial.add(block, last_stamp_ - block);
}

void TopologyTree::add_capacity(std::uint32_t leaf, const Amounts& amounts) {
  for (const Amount& entry : amounts) {
    const std::size_t at = make_column(entry.resource);
    for (Columns* columns : {&free_, &room_}) {
      std::int64_t& cell = (*columns)[at][leaf];
      cell = saturating_add(cell, entry.amount);
    }
  }
  touch(leaf);
}

void TopologyTree::shift_free(std::uint32_t leaf, const Amounts& amounts, std::int64_t times) {
  for (const Amount& entry : amounts) {
    const std::size_t at = column(entry.resource);
    if (at == no_column) continue;
    shift(free_[at][leaf], product(entry.amount, times));
    shift(room_[at][leaf], product(entry.amount, times));
  }
  touch(leaf);
}

void TopologyTree::shift_own(std::uint32_t leaf, const Amounts& amounts, ResourceId pods,
                             std::int64_t times) {
  for (const Amount& entry : amounts) {
    const std::size_t at = column(entry.resource);
    if (at != no_column) shift(room_[at][leaf], product(entry.amount, times));
  }
  if (const std::size_t at = column(pods); at != no_column) shift(room_[at][leaf], times);
  touch(leaf);
}

void TopologyTree::shift_others(std::uint32_t leaf, const Amounts& amounts, ResourceId pods,
                                std::int64_t times) {
  const auto move = [&](ResourceId resource, std::int64_t amount) {
    const std::size_t at = column(resource);
    if (at == no_column) return;
    shift(others_[at][leaf], product(-amount, times));
    shift(room_[at][leaf], product(amount, times));
  };
  for (const Amount& entry : amounts) move(entry.resource, entry.amount);
  move(pods, 1);
  touch(leaf);
}

void TopologyTree::try_shift(Trial& trial, std::uint32_t leaf, const Amounts& amounts,
                             ResourceId pods, std::int64_t times) {
  for (const Amount& entry : amounts) {
    const std::size_t at = column(entry.resource);
    if (at == no_column || entry.amount == 0) continue;
    trial.add(room_[at][leaf], product(entry.amount, times));
  }
  if (const std::size_t at = column(pods); at != no_column) trial.add(room_[at][leaf], times);
  try_touch(trial, leaf);
}

void TopologyTree::try_assume(Trial& trial, std::uint32_t leaf, const Amounts& amounts,
                              ResourceId pods, std::int64_t times) {
  for (const Amount& entry : amounts) {
    const std::size_t at = column(entry.resource);
    if (at == no_column || entry.amount == 0) continue;
    trial.add(free_[at][leaf], product(entry.amount, times));
  }
  if (const std::size_t at = column(pods); at != no_column) trial.add(free_[at][leaf], times);
  try_shift(trial, leaf, amounts, pods, times);
}

}  // namespace muster::core
