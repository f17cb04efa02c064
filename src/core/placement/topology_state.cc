// SPDX-License-Identifier: Apache-2.0
#include "core/placement/topology_state.h"

#include <algorithm>
#include <limits>

#include "base/checked.h"

namespace muster::core {

namespace {

constexpr std::int32_t count_max = std::numeric_limits<std::int32_t>::max();

std::int32_t sum(const std::int32_t* numbers, std::uint32_t first, std::uint32_t last) {
  std::int64_t total = 0;
  for (std::uint32_t i = first; i < last; ++i) total += numbers[i];
  return static_cast<std::int32_t>(std::min<std::int64_t>(total, count_max));
}

std::int32_t sum_of_multiples(const std::int32_t* numbers, std::uint32_t first, std::uint32_t last,
                              std::int32_t size) {
  std::int64_t total = 0;
  for (std::uint32_t i = first; i < last; ++i) total += numbers[i] - numbers[i] % size;
  return static_cast<std::int32_t>(std::min<std::int64_t>(total, count_max));
}

// What the leaves take: nothing where they do not match or are out of the range.
void fill_leaves(std::vector<std::int32_t>& into, const std::int32_t* counts,
                 const LeafRoom& room) {
  std::fill(into.begin(), into.end(), 0);
  if (counts == nullptr) return;
  std::copy(counts + room.first, counts + room.last, into.begin() + room.first);
  if (room.match == nullptr || room.match->all_match) return;
  const std::uint8_t* matches = room.match->matches.data();
  std::int32_t* numbers = into.data();
  for (std::uint32_t leaf = room.first; leaf < room.last; ++leaf) {
    numbers[leaf] = matches[leaf] != 0 ? numbers[leaf] : 0;
  }
}

}  // namespace

void TopologyState::reset(const TopologyTree& tree, bool everything) {
  levels_.resize(tree.height());
  for (std::size_t at = 0; at < tree.height(); ++at) {
    const std::size_t width = tree.level(at).width;
    Domains& domains = levels_[at];
    domains.pods.resize(width);
    domains.slices.assign(slices_are_pods_ ? 0 : width, 0);
    const std::size_t more = everything ? width : 0;
    domains.pods_with_leader.assign(more, 0);
    domains.slices_with_leader.assign(more, 0);
    domains.leaders.assign(more, 0);
    domains.scores.assign(more, 0);
  }
}

void TopologyState::fill_plain(const TopologyTree& tree, const TopologyShape& shape,
                               const LeafRoom& room) {
  const std::size_t lowest = tree.height() - 1;
  slices_are_pods_ = shape.slice_size == 1 && shape.slice_level == lowest;
  reset(tree, false);
  fill_leaves(levels_[lowest].pods, room.pods, room);
  for (std::size_t at = lowest; at-- > 0;) {
    const TopologyLevel& level = tree.level(at);
    const std::int32_t inner = shape.inner_sizes[at + 1];
    const std::int32_t* below = levels_[at + 1].pods.data();
    std::int32_t* pods = levels_[at].pods.data();
    const std::uint32_t* first = level.first_child.data();
    for (std::uint32_t domain = 0; domain < level.width; ++domain) {
      pods[domain] = inner > 1 ? sum_of_multiples(below, first[domain], first[domain + 1], inner)
                               : sum(below, first[domain], first[domain + 1]);
    }
  }
  if (slices_are_pods_) return;
  for (std::size_t at = shape.slice_level + 1; at-- > 0;) {
    std::int32_t* slices = levels_[at].slices.data();
    const std::int32_t* pods = levels_[at].pods.data();
    const std::uint32_t width = tree.level(at).width;
    if (at == shape.slice_level) {
      for (std::uint32_t i = 0; i < width; ++i) slices[i] = pods[i] / shape.slice_size;
      continue;
    }
    const std::int32_t* below = levels_[at + 1].slices.data();
    const std::uint32_t* first = tree.level(at).first_child.data();
    for (std::uint32_t i = 0; i < width; ++i) slices[i] = sum(below, first[i], first[i + 1]);
  }
}

void TopologyState::fill(const TopologyTree& tree, const TopologyShape& shape,
                         const LeafRoom& room) {
  const std::size_t lowest = tree.height() - 1;
  slices_are_pods_ = false;
  reset(tree, true);
  Domains& leaves = levels_[lowest];
  fill_leaves(leaves.pods, room.pods, room);
  fill_leaves(leaves.leaders, room.leaders, room);
  for (std::int32_t& leader : leaves.leaders) leader = leader > 0 ? 1 : 0;
  fill_leaves(leaves.pods_with_leader, room.pods_with_leader, room);
  for (std::uint32_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    // Where no leader fits, workers alone are counted on both sides.
    if (leaves.leaders[leaf] == 0) leaves.pods_with_leader[leaf] = leaves.pods[leaf];
  }
  if (shape.scored && room.match != nullptr && !room.match->scores.empty()) {
    leaves.scores.assign(room.match->scores.begin(), room.match->scores.end());
  }
  if (lowest == shape.slice_level && shape.slice_size == 1) {
    leaves.slices = leaves.pods;
    leaves.slices_with_leader = leaves.pods_with_leader;
  } else if (lowest == shape.slice_level) {
    for (std::uint32_t leaf = 0; leaf < tree.leaves(); ++leaf) {
      roll_up_domain(tree, shape, lowest, leaf, true);
    }
  }
  for (std::size_t at = lowest; at-- > 0;) {
    for (std::uint32_t domain = 0; domain < tree.level(at).width; ++domain) {
      roll_up_domain(tree, shape, at, domain, true);
    }
  }
}

void TopologyState::copy_range(const TopologyState& from, std::size_t level, std::uint32_t first,
                               std::uint32_t last) {
  const auto copy = [&](const auto& source, auto& target) {
    std::copy(source.begin() + first, source.begin() + last, target.begin() + first);
  };
  const Domains& source = from.levels_[level];
  Domains& target = levels_[level];
  copy(source.pods, target.pods);
  copy(source.slices, target.slices);
  copy(source.pods_with_leader, target.pods_with_leader);
  copy(source.slices_with_leader, target.slices_with_leader);
  copy(source.leaders, target.leaders);
  copy(source.scores, target.scores);
}

void TopologyState::roll_up_again(const TopologyTree& tree, const TopologyShape& shape,
                                  std::size_t level, std::uint32_t domain) {
  if (level + 1 < tree.height()) {
    const std::vector<std::uint32_t>& first = tree.level(level).first_child;
    for (std::uint32_t child = first[domain]; child < first[domain + 1]; ++child) {
      roll_up_again(tree, shape, level + 1, child);
    }
  }
  roll_up_domain(tree, shape, level, domain, false);
}

// From its children, which are rolled up already. A leader costs a domain what it costs the child
// that loses least by it.
void TopologyState::roll_up_domain(const TopologyTree& tree, const TopologyShape& shape,
                                   std::size_t level, std::uint32_t domain, bool with_inner) {
  Domains& own = levels_[level];
  const bool is_slice_level = level == shape.slice_level;
  if (level + 1 == tree.height()) {
    if (!is_slice_level) return;
    own.slices[domain] = own.pods[domain] / shape.slice_size;
    own.slices_with_leader[domain] = own.pods_with_leader[domain] / shape.slice_size;
    return;
  }
  const Domains& below = levels_[level + 1];
  const std::vector<std::uint32_t>& first = tree.level(level).first_child;
  const std::int32_t inner = with_inner ? std::max(shape.inner_sizes[level + 1], 1) : 1;
  std::int64_t pods = 0;
  std::int64_t slices = 0;
  std::int64_t pods_lost = count_max;
  std::int64_t slices_lost = count_max;
  std::int32_t leaders = 0;
  std::int64_t score = 0;
  bool takes_leader = false;
  for (std::uint32_t child = first[domain]; child < first[domain + 1]; ++child) {
    const std::int64_t child_pods = below.pods[child] - below.pods[child] % inner;
    pods += child_pods;
    slices += below.slices[child];
    if (shape.leaders == 0 || below.leaders[child] > 0) {
      takes_leader = true;
      const std::int64_t with_leader = below.pods_with_leader[child];
      const std::int64_t beside = with_leader - with_leader % inner;
      pods_lost = std::min(pods_lost, child_pods - beside);
      slices_lost = std::min<std::int64_t>(slices_lost,
                                           below.slices[child] - below.slices_with_leader[child]);
    }
    leaders = std::max(leaders, below.leaders[child]);
    score = saturating_add(score, below.scores[child]);
  }
  const auto fitting = [](std::int64_t number) { return saturating_cast<std::int32_t>(number); };
  own.pods[domain] = fitting(pods);
  own.pods_with_leader[domain] = takes_leader ? fitting(pods - pods_lost) : 0;
  own.leaders[domain] = leaders;
  own.scores[domain] = score;
  own.slices[domain] = is_slice_level ? own.pods[domain] / shape.slice_size : fitting(slices);
  own.slices_with_leader[domain] = is_slice_level ? own.pods_with_leader[domain] / shape.slice_size
                                   : takes_leader ? fitting(slices - slices_lost)
                                                  : 0;
}

}  // namespace muster::core
