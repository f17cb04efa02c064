// CandidateIndex: the workloads that hold quota in one ClusterQueue, in the order in which Kueue
// would preempt them: already evicted first, then lower priority, then who got quota last, then
// UID. It is kept at every event, so that a search looks only at those it needs. Entries lie in
// sorted blocks: an event moves a few of them, a search reads them one behind the other.
//
//   queue.candidates.insert(entry, before);    // when the workload gets quota
//   for (auto at = queue.candidates.begin(); at != queue.candidates.end(); ++at) …
//
// Assumes: `before` is the same strict order at every call and tells any two entries apart.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/instant.h"
#include "core/model/expect_memory.h"
#include "core/model/ids.h"

namespace muster::core {

struct CandidateEntry {
  std::int64_t priority = 0;     // with its boost
  std::int64_t reserved_at = 0;  // nanoseconds
  Instant queued_since = {};
  std::uint64_t uid_head = 0;  // the first bytes of the UID, for most ties
  std::uint64_t uses = 0;      // a bit for each flavor resource: its id modulo 64
  WorkloadId workload;
  bool is_evicted = false;

  friend bool operator==(const CandidateEntry&, const CandidateEntry&) = default;
};

constexpr std::uint64_t uses_bit(FlavorResourceId pair) {
  return std::uint64_t{1} << (pair.index() % 64);
}

// Orders as the text does, as far as it goes.
std::uint64_t uid_head(std::string_view uid);

class CandidateIndex {
 public:
  static constexpr std::size_t block_min = 8;  // room of the first, that it need not grow soon
  static constexpr std::size_t block_max = 128;

  class Iterator {
   public:
    const CandidateEntry& operator*() const { return (*blocks_)[block_][at_]; }
    const CandidateEntry* operator->() const { return &**this; }
    Iterator& operator++() {
      if (++at_ == (*blocks_)[block_].size()) {
        ++block_;
        at_ = 0;
      }
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    friend class CandidateIndex;
    using Blocks = std::vector<std::vector<CandidateEntry>>;
    Iterator(const Blocks* blocks, std::size_t block) : blocks_(blocks), block_(block) {}

    const Blocks* blocks_;
    std::size_t block_;
    std::size_t at_ = 0;
  };

  // Somebody will enter soon: first where the entries lie is fetched meanwhile, then they.
  void expect() const { expect_line(blocks_.data()); }
  void expect_entries() const {
    if (blocks_.size() != 1) return;
    const std::vector<CandidateEntry>& block = blocks_.front();
    for (std::size_t quarter = 0; quarter < 4; ++quarter) {
      expect_line(block.data() + block.size() * quarter / 4);
    }
  }

  std::size_t size() const { return size_; }
  std::size_t evicted() const { return evicted_; }  // they stand in front
  Iterator begin() const { return Iterator(&blocks_, 0); }
  Iterator end() const { return Iterator(&blocks_, blocks_.size()); }
  Iterator at(std::size_t place) const;  // counts from the front

  template <class Before>
  void insert(const CandidateEntry& entry, Before&& before) {
    ++size_;
    evicted_ += entry.is_evicted ? 1 : 0;
    if (blocks_.empty()) {
      blocks_.emplace_back().reserve(block_min);
      blocks_.back().push_back(entry);
      return;
    }
    const std::size_t at = block_of(entry, before);
    std::vector<CandidateEntry>& block = blocks_[at];
    block.insert(std::lower_bound(block.begin(), block.end(), entry, before), entry);
    if (block.size() <= block_max) return;
    const auto middle = block.begin() + static_cast<std::ptrdiff_t>(block_max / 2);
    std::vector<CandidateEntry> upper(middle, block.end());
    block.erase(middle, block.end());
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(upper));
  }

  // The entry as it was inserted. One that keeps its place is overwritten there.
  template <class Before>
  void replace(const CandidateEntry& old, const CandidateEntry& entry, Before&& before) {
    CHECK(size_ > 0);
    std::vector<CandidateEntry>& block = blocks_[block_of(old, before)];
    const auto found = std::lower_bound(block.begin(), block.end(), old, before);
    CHECK(found != block.end() && found->workload == old.workload);
    // At the ends of a block its neighbours are in another one, if there is one.
    const bool is_alone = blocks_.size() == 1;
    const bool is_behind = found == block.begin() ? is_alone : before(*(found - 1), entry);
    const bool is_before = found + 1 == block.end() ? is_alone : before(entry, *(found + 1));
    if (!is_behind || !is_before) {
      erase(old, before);
      return insert(entry, before);
    }
    evicted_ += entry.is_evicted ? 1 : 0;
    evicted_ -= old.is_evicted ? 1 : 0;
    *found = entry;
  }

  // The same.
  template <class Before>
  void erase(const CandidateEntry& entry, Before&& before) {
    CHECK(size_ > 0);
    const std::size_t at = block_of(entry, before);
    std::vector<CandidateEntry>& block = blocks_[at];
    const auto found = std::lower_bound(block.begin(), block.end(), entry, before);
    CHECK(found != block.end() && found->workload == entry.workload);
    --size_;
    evicted_ -= entry.is_evicted ? 1 : 0;
    block.erase(found);
    if (block.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at));
  }

 private:
  // The first block that does not end before the entry, or the last one.
  template <class Before>
  std::size_t block_of(const CandidateEntry& entry, Before&& before) const {
    if (blocks_.size() == 1) return 0;
    const auto found = std::partition_point(
        blocks_.begin(), blocks_.end(),
        [&](const std::vector<CandidateEntry>& block) { return before(block.back(), entry); });
    const auto index = static_cast<std::size_t>(found - blocks_.begin());
    return std::min(index, blocks_.size() - 1);
  }

  std::vector<std::vector<CandidateEntry>> blocks_;  // none is empty
  std::size_t size_ = 0;
  std::size_t evicted_ = 0;
};

}  // namespace muster::core
