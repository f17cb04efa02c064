// SPDX-License-Identifier: Apache-2.0
#include "store/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"

namespace muster::store {

namespace {

// What only history holds of an event: the value it replaced, and the event itself.
std::uint64_t bytes_held(const Event& event) {
  return event.previous_value.size() + sizeof(Event) + (event.is_delete() ? event.key.size() : 0);
}

Error contradiction(const Record& record, std::string_view what) {
  return Error::internal(
      fmt::format("the log is damaged at key \"{}\", revision {}: {}; restore a backup",
                  record.key.view(), record.revision.value, what));
}

}  // namespace

Result<std::vector<Revision>> Ledger::recover(Recovered recovered) {
  CHECK(revision_.is_none() && history_.empty());
  std::vector<Revision> dead;
  compacted_ = recovered.compacted;
  for (Record& record : recovered.records) {
    if (record.revision <= revision_) return contradiction(record, "revisions must grow");
    if (record.revision <= compacted_) {
      revision_ = record.revision;
      recover_compacted(std::move(record), dead);
      continue;
    }
    const Slot* slot = index_.find(record.key.view());
    const Revision live = slot == nullptr || slot->value.is_none() ? Revision{} : slot->revision;
    if (record.previous != live) {
      return contradiction(record, fmt::format("it replaced revision {}, but {} is there",
                                               record.previous.value, live.value));
    }
    apply(record);
  }
  // A compaction up to the newest revision may have removed that row: a delete.
  revision_ = std::max(revision_, compacted_);
  return dead;
}

void Ledger::recover_compacted(Record record, std::vector<Revision>& dead) {
  const Slot* slot = index_.find(record.key.view());
  if (slot != nullptr) dead.push_back(slot->revision);
  if (record.value.is_none()) {
    dead.push_back(record.revision);
    if (slot != nullptr) index_.erase(record.key.view());
    return;
  }
  const Bytes key = slot != nullptr ? slot->key : record.key;
  index_.set(key, std::move(record.value), record.revision);
}

EventPointer Ledger::apply(const Record& record) {
  CHECK(record.revision > revision_);
  Slot before = index_.set(record.key, record.value, record.revision);
  auto event = std::make_shared<Event>();
  event->key = before.key.is_none() ? record.key : before.key;  // keys are kept once
  event->value = record.value;
  event->revision = record.revision;
  if (!before.value.is_none()) {
    event->previous_value = std::move(before.value);
    event->previous_revision = before.revision;
  }
  CHECK(event->previous_revision == record.previous);
  history_bytes_ += bytes_held(*event);
  history_.push_back({event, before.revision});
  revision_ = record.revision;
  return event;
}

std::size_t Ledger::history_begin(Revision after) const {
  const auto first =
      std::upper_bound(history_.begin(), history_.end(), after,
                       [](Revision r, const HistoryEvent& h) { return r < h.event->revision; });
  return static_cast<std::size_t>(first - history_.begin());
}

// Walks back from the newest state of a key to the one it had at a revision.
Slot Ledger::state_at(const Slot& slot, Revision at) const {
  Slot state = slot;
  while (state.revision > at) {
    const std::size_t place = history_begin(Revision{state.revision.value - 1});
    CHECK(place < history_.size() && history_[place].event->revision == state.revision);
    state.value = history_[place].event->previous_value;
    state.revision = history_[place].before;
  }
  return state;
}

void Ledger::collect_now(ListPage& page, Index::Position& at, Index::Position end,
                         std::size_t limit) const {
  constexpr std::size_t ahead = 8;  // enough to hide a miss per entry behind the ones before it
  while (at != end && page.entries.size() < limit) {
    const Slot& slot = index_.slot(at);
    if (Index::Position far{at.block, at.slot + ahead}; index_.has(far)) {
      index_.slot(far).key.prefetch();
      index_.slot(far).value.prefetch();
    }
    if (!slot.value.is_none()) page.entries.push_back({slot.key, slot.value, slot.revision});
    at = index_.next(at);
  }
  page.remaining = index_.count_live(at, end);
}

void Ledger::collect_past(ListPage& page, Index::Position at, Index::Position end,
                          std::size_t limit) const {
  for (; at != end; at = index_.next(at)) {
    Slot state = state_at(index_.slot(at), page.revision);
    if (state.value.is_none()) continue;
    if (page.entries.size() == limit) {
      ++page.remaining;
    } else {
      page.entries.push_back({std::move(state.key), std::move(state.value), state.revision});
    }
  }
}

Result<ListPage> Ledger::list(const ListRequest& request) const {
  ListPage page;
  page.revision = request.at.is_none() ? revision_ : request.at;
  if (page.revision > revision_) {
    return Error::bad_request(fmt::format("revision {} has not happened yet: the newest is {}",
                                          page.revision.value, revision_.value));
  }
  if (page.revision < compacted_) {
    return Error{ErrorCode::expired, fmt::format("revision {} was compacted: the oldest is {}",
                                                 page.revision.value, compacted_.value)};
  }
  const std::size_t limit = request.limit == 0 ? limits_.list_entries_max
                                               : std::min(request.limit, limits_.list_entries_max);
  std::string storage;
  const std::string_view after = after_prefix(request.prefix, storage);
  const Index::Position end = after.empty() ? index_.end() : index_.lower_bound(after);
  Index::Position at = index_.lower_bound(std::max(request.prefix, request.start));
  if (end < at) at = end;
  if (page.revision == revision_) {
    page.entries.reserve(std::min<std::size_t>(limit, index_.live()));
    collect_now(page, at, end, limit);
  } else {
    collect_past(page, at, end, limit);
  }
  return page;
}

std::vector<Revision> Ledger::compact(Revision revision) {
  CHECK(revision >= compacted_ && revision <= revision_);
  compacted_ = revision;
  std::vector<Revision> dead;
  while (!history_.empty() && history_.front().event->revision <= revision) {
    const Event& event = *history_.front().event;
    if (!event.previous_revision.is_none()) dead.push_back(event.previous_revision);
    if (event.is_delete()) {
      dead.push_back(event.revision);
      const Slot* slot = index_.find(event.key.view());
      if (slot != nullptr && slot->revision == event.revision) index_.erase(event.key.view());
    }
    history_bytes_ -= bytes_held(event);
    history_.pop_front();
  }
  return dead;
}

Revision Ledger::overdue_compaction() const {
  if (history_.size() <= limits_.history_events_max &&
      history_bytes_ <= limits_.history_bytes_max) {
    return {};
  }
  return history_[history_.size() / 8].event->revision;
}

}  // namespace muster::store
