// Ledger: the durable state of a store in memory. The index holds the newest value of each key,
// the history every event since the last compaction; together they answer for every revision in
// between: an older value of a key is what the event that replaced it remembers.
//
//   auto event = ledger.apply(record);             // a write became durable
//   auto page = ledger.list({.prefix = "/pods/", .at = Revision{7}});
//   auto rows = ledger.compact(Revision{7});       // what the file may forget
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/index.h"
#include "store/journal.h"
#include "store/limits.h"
#include "store/store.h"

namespace muster::store {

struct HistoryEvent {
  EventPointer event;
  Revision before;  // of the key's event before this one, deletes included; none when unknown
};

class Ledger {
 public:
  explicit Ledger(const StoreLimits& limits) : limits_(limits) {}

  // Once, at the start. Answers the rows that a compaction before the restart left in the file;
  // internal when the records contradict each other, with the key.
  Result<std::vector<Revision>> recover(Recovered recovered);

  EventPointer apply(const Record& record);

  // The newest slot; also a deleted one that history remembers. Null when there is none.
  const Slot* find(std::string_view key) const { return index_.find(key); }

  Result<ListPage> list(const ListRequest& request) const;

  // Drops the history up to the revision, which lies between compacted() and revision(). Answers
  // the rows that no later state needs.
  std::vector<Revision> compact(Revision revision);

  Revision revision() const { return revision_; }
  Revision compacted() const { return compacted_; }

  // Events after compacted(), oldest first, and where those after a revision begin.
  const std::deque<HistoryEvent>& history() const { return history_; }
  std::size_t history_begin(Revision after) const;

  // None while history is within its limits; else up to where to compact.
  Revision overdue_compaction() const;

  const Index& index() const { return index_; }
  std::uint64_t history_bytes() const { return history_bytes_; }

 private:
  void recover_compacted(Record record, std::vector<Revision>& dead);
  Slot state_at(const Slot& slot, Revision at) const;
  void collect_now(ListPage& page, Index::Position& at, Index::Position end,
                   std::size_t limit) const;
  void collect_past(ListPage& page, Index::Position at, Index::Position end,
                    std::size_t limit) const;

  const StoreLimits limits_;
  Index index_;
  std::deque<HistoryEvent> history_;
  std::uint64_t history_bytes_ = 0;
  Revision revision_;
  Revision compacted_;
};

}  // namespace muster::store
