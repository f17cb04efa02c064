// Index: the newest durable state of every key, in the order of the keys' bytes. Slots lie side
// by side in blocks of bounded size, so that a list walks memory forwards and 100,000 keys cost
// little more than their bytes. A deleted key keeps its slot, without a value, until compaction.
//
//   index.set(key, value, revision);
//   for (auto at = index.lower_bound("/pods/"); at != index.end(); at = index.next(at))
//     index.slot(at).key.view();
//
// Assumes: a position is good until the next set or erase.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/bytes.h"
#include "store/store.h"

namespace muster::store {

struct Slot {
  Bytes key;
  Bytes value;  // none: deleted
  Revision revision;
};

class Index {
 public:
  struct Position {
    std::size_t block = 0;
    std::size_t slot = 0;
    friend auto operator<=>(Position, Position) = default;
  };

  const Slot* find(std::string_view key) const;
  Position lower_bound(std::string_view key) const;
  Position end() const { return {blocks_.size(), 0}; }
  Position next(Position at) const;
  bool has(Position at) const {
    return at.block < blocks_.size() && at.slot < blocks_[at.block].block->slots.size();
  }
  const Slot& slot(Position at) const { return blocks_[at.block].block->slots[at.slot]; }

  // Inserts or replaces, and answers what was there (a slot without key when nothing was).
  Slot set(const Bytes& key, Bytes value, Revision revision);

  // Drops the slot; the key must be there.
  void erase(std::string_view key);

  // Slots with a value in [from, to).
  std::uint64_t count_live(Position from, Position to) const;

  std::uint64_t live() const { return live_; }
  std::uint64_t live_bytes() const { return live_bytes_; }

 private:
  struct Block {
    std::vector<Slot> slots;  // sorted, never empty
    std::size_t live = 0;
  };

  // The separator is not larger than any key of its block, and larger than all before. It lies
  // beside its neighbours, so that a search touches few lines.
  struct Branch {
    Bytes separator;
    std::unique_ptr<Block> block;
  };

  void insert_at(Position at, Slot slot);
  void split(std::size_t block);

  std::vector<Branch> blocks_;
  std::uint64_t live_ = 0;
  std::uint64_t live_bytes_ = 0;
};

// The first key after all that begin with the prefix; empty when there is no such key.
std::string_view after_prefix(std::string_view prefix, std::string& storage);

}  // namespace muster::store
