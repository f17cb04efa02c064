// SPDX-License-Identifier: Apache-2.0
#include "core/placement/topology_counts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "base/checked.h"

namespace muster::core {

namespace {

constexpr std::int32_t count_max = std::numeric_limits<std::int32_t>::max();

// Amounts below this become doubles exactly by arithmetic on bits alone, and quotients of two such
// amounts round down to the true one: a division of doubles is off by less than half a unit in the
// last place, which is nearer than any two fractions with these denominators are.
constexpr std::uint64_t exact_max = std::uint64_t{1} << 50;
constexpr std::uint64_t double_bits = 0x4338000000000000;  // 1.5 · 2^52
constexpr double double_offset = 6755399441055744.0;

std::int64_t room_at(const TopologyTree& tree, RoomBasis basis, std::size_t column,
                     std::uint32_t leaf) {
  switch (basis) {
    case RoomBasis::room:
      return tree.room(column)[leaf];
    case RoomBasis::own_room:
      return saturating_add(tree.room(column)[leaf], tree.others(column)[leaf]);
    case RoomBasis::empty:
      return tree.free(column)[leaf];
  }
  return 0;
}

std::int32_t quotient(std::int64_t room, std::int64_t each) {
  if (each == 0) return count_max;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(room / each, 0, std::int64_t{count_max}));
}

std::int64_t taken_before(const CountKey& key, std::size_t column) {
  for (const auto& [at, amount] : key.before) {
    if (at == column) return amount;
  }
  return 0;
}

using Block = std::array<double, leaves_per_block>;

// One resource of 64 leaves at once. False where some amount is too large to be exact.
bool count_resource(Block& least, const std::int64_t* room, const std::int64_t* others,
                    std::int64_t before, std::int64_t each) {
  const auto divisor = static_cast<double>(each);
  const auto less = static_cast<std::uint64_t>(before);
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < leaves_per_block; ++i) {
    const std::uint64_t more = others == nullptr ? 0 : static_cast<std::uint64_t>(others[i]);
    const std::uint64_t have = static_cast<std::uint64_t>(room[i]) + more - less;
    outside |= (have + exact_max) & ~(2 * exact_max - 1);
    const double exact = std::bit_cast<double>(have + double_bits) - double_offset;
    const double pods = exact / divisor;
    least[i] = pods < least[i] ? pods : least[i];
  }
  return outside == 0;
}

bool count_block(const TopologyTree& tree, const CountKey& key, std::size_t first,
                 std::int32_t* counts) {
  Block least;
  least.fill(static_cast<double>(count_max));
  for (const auto& [column, each] : key.requests) {
    if (each >= static_cast<std::int64_t>(exact_max)) return false;
    const std::int64_t* others =
        key.basis == RoomBasis::own_room ? tree.others(column).data() + first : nullptr;
    const std::int64_t* room = key.basis == RoomBasis::empty ? tree.free(column).data() + first
                                                             : tree.room(column).data() + first;
    if (!count_resource(least, room, others, taken_before(key, column), each)) return false;
  }
  for (std::size_t i = 0; i < leaves_per_block; ++i) {
    counts[i] = static_cast<std::int32_t>(least[i] < 0 ? 0 : least[i]);
  }
  return true;
}

void count_all(const TopologyTree& tree, CountColumn& column) {
  const std::size_t blocks = tree.block_stamps().size();
  column.counts.assign(blocks * leaves_per_block, 0);
  column.stamps.assign(tree.stamps().begin(), tree.stamps().end());
  column.block_stamps.assign(tree.block_stamps().begin(), tree.block_stamps().end());
  if (column.key.impossible) return;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = block * leaves_per_block;
    if (count_block(tree, column.key, first, column.counts.data() + first)) continue;
    const std::size_t last = std::min<std::size_t>(first + leaves_per_block, tree.leaves());
    for (std::size_t leaf = first; leaf < last; ++leaf) {
      column.counts[leaf] = count_pods_at(tree, column.key, static_cast<std::uint32_t>(leaf));
    }
  }
  std::fill(column.counts.begin() + tree.leaves(), column.counts.end(), 0);
}

void count_changed(const TopologyTree& tree, CountColumn& column) {
  const std::span<const std::int64_t> stamps = tree.stamps();
  const std::span<const std::int64_t> blocks = tree.block_stamps();
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    if (column.block_stamps[block] == blocks[block]) continue;
    column.block_stamps[block] = blocks[block];
    const std::size_t first = block * leaves_per_block;
    const std::size_t last = std::min<std::size_t>(first + leaves_per_block, stamps.size());
    for (std::size_t leaf = first; leaf < last; ++leaf) {
      if (column.stamps[leaf] == stamps[leaf]) continue;
      column.stamps[leaf] = stamps[leaf];
      column.counts[leaf] = count_pods_at(tree, column.key, static_cast<std::uint32_t>(leaf));
    }
  }
}

}  // namespace

CountKey count_key(const TopologyTree& tree, RoomBasis basis, const Amounts& requests,
                   ResourceId pods, const Amounts* before) {
  CountKey key{.basis = basis, .requests = {}, .before = {}};
  const auto add = [&](auto& list, ResourceId resource, std::int64_t amount) {
    const std::size_t column = tree.column(resource);
    if (amount <= 0 || resource == pods) return;
    if (column == TopologyTree::no_column) {
      key.impossible = key.impossible || &list == &key.requests;
      return;
    }
    list.emplace_back(column, amount);
  };
  for (const Amount& entry : requests) add(key.requests, entry.resource, entry.amount);
  const std::size_t pod_column = tree.column(pods);
  key.impossible = key.impossible || pod_column == TopologyTree::no_column;
  if (pod_column != TopologyTree::no_column) key.requests.emplace_back(pod_column, 1);
  if (before != nullptr) {
    for (const Amount& entry : *before) add(key.before, entry.resource, entry.amount);
    if (pod_column != TopologyTree::no_column) key.before.emplace_back(pod_column, 1);
  }
  return key;
}

CountKey fit_key(const TopologyTree& tree, RoomBasis basis, const Amounts& requests) {
  CountKey key{.basis = basis, .requests = {}, .before = {}, .impossible = requests.empty()};
  for (const Amount& entry : requests) {
    const std::size_t column = tree.column(entry.resource);
    if (entry.amount <= 0) continue;
    if (column == TopologyTree::no_column) {
      key.impossible = true;
    } else {
      key.requests.emplace_back(column, entry.amount);
    }
  }
  return key;
}

std::int32_t count_pods_at(const TopologyTree& tree, const CountKey& key, std::uint32_t leaf) {
  if (key.impossible) return 0;
  std::int32_t least = count_max;
  for (const auto& [column, each] : key.requests) {
    const std::int64_t have =
        saturating_subtract(room_at(tree, key.basis, column, leaf), taken_before(key, column));
    least = std::min(least, quotient(have, each));
  }
  return least;
}

ResourceId limiting_resource(const TopologyTree& tree, RoomBasis basis, const Amounts& requests,
                             const ResourceNames& names, std::uint32_t leaf) {
  ResourceId limiting;
  std::int32_t least = 0;
  const auto look_at = [&](ResourceId resource, std::int64_t each) {
    const std::size_t column = tree.column(resource);
    const std::int64_t have =
        column == TopologyTree::no_column ? 0 : room_at(tree, basis, column, leaf);
    const std::int32_t count = quotient(have, each);
    const bool is_less = limiting.is_none() || count < least ||
                         (count == least && names.name(resource) < names.name(limiting));
    if (!is_less) return;
    limiting = resource;
    least = count;
  };
  for (const Amount& entry : requests) {
    if (entry.resource != names.pods()) look_at(entry.resource, entry.amount);
  }
  look_at(names.pods(), 1);
  return limiting;
}

const std::int32_t* count_pods(TopologyTree& tree, const CountKey& key) {
  TopologyCaches& caches = tree.caches();
  ++caches.clock;
  CountColumn* oldest = nullptr;
  for (CountColumn& column : caches.counts) {
    if (column.key == key) {
      column.used = caches.clock;
      count_changed(tree, column);
      return column.counts.data();
    }
    if (oldest == nullptr || column.used < oldest->used) oldest = &column;
  }
  if (caches.counts.size() < count_columns_max) oldest = &caches.counts.emplace_back();
  oldest->key = key;
  oldest->used = caches.clock;
  count_all(tree, *oldest);
  return oldest->counts.data();
}

}  // namespace muster::core
