// SPDX-License-Identifier: Apache-2.0
#include "store/index.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace muster::store {

namespace {

// 128 slots are 3 KB: an insert moves half of that, a list of 10,000 touches under 160 blocks.
constexpr std::size_t block_slots_max = 128;

}  // namespace

Index::Position Index::lower_bound(std::string_view key) const {
  // The block that may hold the key is the last one that begins at or before it.
  const auto after = std::upper_bound(
      blocks_.begin(), blocks_.end(), key,
      [](std::string_view k, const Branch& branch) { return k < branch.separator.view(); });
  if (after == blocks_.begin()) return {0, 0};
  const auto block = static_cast<std::size_t>(after - blocks_.begin()) - 1;
  const auto& slots = blocks_[block].block->slots;
  const auto found =
      std::lower_bound(slots.begin(), slots.end(), key,
                       [](const Slot& slot, std::string_view k) { return slot.key.view() < k; });
  if (found == slots.end()) return {block + 1, 0};
  return {block, static_cast<std::size_t>(found - slots.begin())};
}

Index::Position Index::next(Position at) const {
  if (at.slot + 1 < blocks_[at.block].block->slots.size()) return {at.block, at.slot + 1};
  return {at.block + 1, 0};
}

const Slot* Index::find(std::string_view key) const {
  const Position at = lower_bound(key);
  if (at == end() || slot(at).key.view() != key) return nullptr;
  return &slot(at);
}

Slot Index::set(const Bytes& key, Bytes value, Revision revision) {
  const Position at = lower_bound(key.view());
  Slot before;
  live_ += value.is_none() ? 0U : 1U;
  live_bytes_ += value.size();
  if (at != end() && slot(at).key.view() == key.view()) {
    Block& block = *blocks_[at.block].block;
    Slot& present = block.slots[at.slot];
    before = present;
    live_ -= before.value.is_none() ? 0U : 1U;
    live_bytes_ -= before.value.size();
    block.live += value.is_none() ? 0U : 1U;
    block.live -= before.value.is_none() ? 0U : 1U;
    present.value = std::move(value);
    present.revision = revision;
  } else {
    insert_at(at, Slot{key, std::move(value), revision});
  }
  return before;
}

void Index::insert_at(Position at, Slot slot) {
  if (blocks_.empty()) {
    blocks_.push_back({slot.key, std::make_unique<Block>()});
    blocks_.back().block->slots.reserve(block_slots_max);
  }
  if (at == Position{} && slot.key.view() < blocks_.front().separator.view()) {
    blocks_.front().separator = slot.key;
  }
  // Before the first slot of a block is also after the last of the one before it; searches for
  // the key will look where the separators say.
  if (at.slot == 0 && at.block > 0 &&
      (at == end() || slot.key.view() < blocks_[at.block].separator.view())) {
    at = {at.block - 1, blocks_[at.block - 1].block->slots.size()};
  }
  if (blocks_[at.block].block->slots.size() == block_slots_max) {
    split(at.block);
    const std::size_t left = blocks_[at.block].block->slots.size();
    if (at.slot > left) at = {at.block + 1, at.slot - left};
  }
  Block& block = *blocks_[at.block].block;
  block.live += slot.value.is_none() ? 0U : 1U;
  block.slots.insert(block.slots.begin() + static_cast<std::ptrdiff_t>(at.slot), std::move(slot));
}

void Index::split(std::size_t block) {
  auto& left = blocks_[block].block->slots;
  // Keys that arrive in order fill the blocks before the last one to nine tenths.
  const bool at_end = block + 1 == blocks_.size();
  const auto kept =
      static_cast<std::ptrdiff_t>(at_end ? block_slots_max * 9 / 10 : block_slots_max / 2);
  auto right = std::make_unique<Block>();
  right->slots.reserve(block_slots_max);
  std::move(left.begin() + kept, left.end(), std::back_inserter(right->slots));
  left.erase(left.begin() + kept, left.end());
  right->live = static_cast<std::size_t>(
      std::count_if(right->slots.begin(), right->slots.end(),
                    [](const Slot& slot) { return !slot.value.is_none(); }));
  blocks_[block].block->live -= right->live;
  Bytes separator = right->slots.front().key;
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(block) + 1,
                 Branch{std::move(separator), std::move(right)});
}

void Index::erase(std::string_view key) {
  const Position at = lower_bound(key);
  CHECK(at != end() && slot(at).key.view() == key);
  Block& block = *blocks_[at.block].block;
  const Slot& old = block.slots[at.slot];
  const std::size_t had = old.value.is_none() ? 0 : 1;
  live_ -= had;
  live_bytes_ -= old.value.size();
  block.live -= had;
  block.slots.erase(block.slots.begin() + static_cast<std::ptrdiff_t>(at.slot));
  if (block.slots.empty()) {
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block));
  }
}

std::uint64_t Index::count_live(Position from, Position to) const {
  const auto live_between = [](const Block& block, std::size_t begin, std::size_t end) {
    std::uint64_t count = 0;
    for (std::size_t i = begin; i < end; ++i) count += block.slots[i].value.is_none() ? 0U : 1U;
    return count;
  };
  if (from.block > to.block || from == end()) return 0;
  if (from.block == to.block) return live_between(*blocks_[from.block].block, from.slot, to.slot);
  const Block& first = *blocks_[from.block].block;
  std::uint64_t count = live_between(first, from.slot, first.slots.size());
  for (std::size_t block = from.block + 1; block < to.block; ++block) {
    count += blocks_[block].block->live;
  }
  if (to.block < blocks_.size()) count += live_between(*blocks_[to.block].block, 0, to.slot);
  return count;
}

std::string_view after_prefix(std::string_view prefix, std::string& storage) {
  storage = prefix;
  while (!storage.empty() && storage.back() == '\xff') storage.pop_back();
  if (!storage.empty()) storage.back() = static_cast<char>(storage.back() + 1);
  return storage;
}

}  // namespace muster::store
