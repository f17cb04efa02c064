// SPDX-License-Identifier: Apache-2.0
#include "store/log_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace muster::store {

namespace {

// Whether the condition holds for a key whose live revision this is (none: absent).
Result<> check_condition(std::string_view key, Expected expected, Revision live, bool is_delete) {
  if (expected.is_absent()) {
    if (live.is_none()) return {};
    return Error{ErrorCode::already_exists, fmt::format("\"{}\" already exists", key)};
  }
  if (live.is_none() && (is_delete || !expected.is_any())) {
    return Error{ErrorCode::not_found, fmt::format("\"{}\" not found", key)};
  }
  if (expected.is_any() || expected.revision() == live) return {};
  return Error{ErrorCode::conflict, fmt::format("\"{}\" is at revision {}, not at {}", key,
                                                live.value, expected.revision().value)};
}

}  // namespace

Result<std::unique_ptr<Store>> LogStore::create(Executor& house, std::unique_ptr<Journal> journal,
                                                Recovered recovered, StoreOptions options) {
  std::unique_ptr<LogStore> store(new LogStore(house, std::move(journal), std::move(options)));
  const auto dead = TRY(store->ledger_.recover(std::move(recovered)));
  store->dead_rows_.assign(dead.begin(), dead.end());
  store->accepted_ = store->ledger_.revision();
  if (!dead.empty()) store->schedule_flush();
  return Result<std::unique_ptr<Store>>(std::move(store));
}

LogStore::LogStore(Executor& house, std::unique_ptr<Journal> journal, StoreOptions options)
    : house_(house),
      journal_(std::move(journal)),
      options_(std::move(options)),
      ledger_(options_.limits),
      hub_(ledger_, options_.limits),
      alive_(std::make_shared<bool>(true)) {
  journal_->on_fatal([this, alive = std::weak_ptr(alive_)](const Error& error) {
    if (!alive.expired()) stop(error);
  });
}

LogStore::~LogStore() = default;

void LogStore::put_if(std::string_view key, Bytes value, Expected expected, WriteDone done) {
  CHECK(!value.is_none());
  write(key, std::move(value), expected, std::move(done));
}

void LogStore::delete_if(std::string_view key, Expected expected, WriteDone done) {
  write(key, Bytes(), expected, std::move(done));
}

Result<> LogStore::admit(std::string_view key, const Bytes& value) const {
  if (stopped_.has_value()) return *stopped_;
  if (!closing_.empty() || closed_) return Error{ErrorCode::unavailable, "the store is closing"};
  if (key.empty()) return Error::bad_request("a key must not be empty");
  if (key.size() > options_.limits.key_bytes_max) {
    return Error::too_large(fmt::format("a key of {} bytes: at most {} are allowed", key.size(),
                                        options_.limits.key_bytes_max));
  }
  if (value.size() > options_.limits.value_bytes_max) {
    return Error::too_large(fmt::format("a value of {} bytes: at most {} are allowed", value.size(),
                                        options_.limits.value_bytes_max));
  }
  if (outstanding_writes_ >= options_.limits.outstanding_writes_max ||
      outstanding_bytes_ + value.size() > options_.limits.outstanding_bytes_max) {
    return Error{ErrorCode::too_many_requests,
                 fmt::format("{} writes ({} bytes) wait for the disk already", outstanding_writes_,
                             outstanding_bytes_)};
  }
  return {};
}

void LogStore::write(std::string_view key, Bytes value, Expected expected, WriteDone done) {
  if (auto admitted = admit(key, value); !admitted) {
    return answer_later(std::move(done), std::move(admitted).error());
  }
  const auto in_doubt = accepted_keys_.find(key);
  const Slot* slot = ledger_.find(key);
  Revision live;
  if (in_doubt != accepted_keys_.end()) {
    live = in_doubt->second.live;
  } else if (slot != nullptr && !slot->value.is_none()) {
    live = slot->revision;
  }
  const bool is_delete = value.is_none();
  if (auto condition = check_condition(key, expected, live, is_delete); !condition) {
    if (in_doubt == accepted_keys_.end()) {
      return answer_later(std::move(done), std::move(condition).error());
    }
    // The refusal rests on writes that may still fail, and that nobody can read yet: it waits.
    auto& waiters = pending_.empty() ? in_flight_waiters_ : pending_.back().waiters;
    waiters.push_back({std::move(done), std::move(condition).error()});
    ++outstanding_writes_;
    return;
  }
  accepted_.value += 1;
  const Bytes kept = in_doubt != accepted_keys_.end() ? in_doubt->second.key
                     : slot != nullptr                ? slot->key
                                                      : Bytes::copy_of(key);
  accepted_keys_.insert_or_assign(kept.view(),
                                  AcceptedKey{kept, accepted_, is_delete ? Revision{} : accepted_});
  const std::size_t bytes = key.size() + value.size();
  Group& group = open_group(bytes);
  group.records.push_back({accepted_, live, kept, std::move(value)});
  group.waiters.push_back({std::move(done), accepted_});
  group.bytes += bytes;
  ++outstanding_writes_;
  outstanding_bytes_ += bytes;
  schedule_flush();
}

LogStore::Group& LogStore::open_group(std::size_t bytes) {
  if (pending_.empty() || pending_.back().records.size() >= options_.limits.batch_records_max ||
      pending_.back().bytes + bytes > options_.limits.batch_bytes_max) {
    pending_.emplace_back();
  }
  return pending_.back();
}

void LogStore::answer_later(WriteDone done, Result<Revision> answer) {
  house_.post(
      [done = std::move(done), answer = std::move(answer)]() mutable { done(std::move(answer)); });
}

Result<Entry> LogStore::get(std::string_view key) const {
  const Slot* slot = ledger_.find(key);
  if (slot == nullptr || slot->value.is_none()) {
    return Error{ErrorCode::not_found, fmt::format("\"{}\" not found", key)};
  }
  return Entry{slot->key, slot->value, slot->revision};
}

Result<std::unique_ptr<Watch>> LogStore::watch_from(Revision after, std::string_view prefix,
                                                    Task on_ready) {
  if (stopped_.has_value()) return *stopped_;
  if (!closing_.empty() || closed_) return Error{ErrorCode::unavailable, "the store is closing"};
  auto watch = hub_.open(after, prefix, std::move(on_ready));
  schedule_notify();
  return watch;
}

void LogStore::schedule_notify() {
  if (notify_scheduled_ || !hub_.has_ready()) return;
  notify_scheduled_ = true;
  house_.post([this, alive = std::weak_ptr(alive_)] {
    if (alive.expired()) return;
    notify_scheduled_ = false;
    hub_.notify();
  });
}

void LogStore::schedule_flush() {
  if (flush_scheduled_ || in_flight_ != nullptr || stopped_.has_value() || closed_) return;
  flush_scheduled_ = true;
  // Through the executor, so that what is already waiting there joins the group.
  house_.post([this, alive = std::weak_ptr(alive_)] {
    if (alive.expired()) return;
    flush_scheduled_ = false;
    flush();
  });
}

void LogStore::flush() {
  if (in_flight_ != nullptr || stopped_.has_value() || closed_) return;
  auto write = std::make_shared<JournalWrite>();
  if (!pending_.empty()) {
    write->records = std::move(pending_.front().records);
    in_flight_waiters_ = std::move(pending_.front().waiters);
    in_flight_bytes_ = pending_.front().bytes;
    pending_.pop_front();
  }
  write->compacted = std::exchange(compaction_, {});
  in_flight_compactions_ = std::exchange(compactions_, {});
  if (!trim_paused_ && closing_.empty()) {
    // As many as records come in, at least: so they can never pile up.
    const std::size_t busy = std::max(options_.limits.trim_rows_busy_max, write->records.size());
    const std::size_t rows = std::min(
        dead_rows_.size(), write->records.empty() ? options_.limits.trim_rows_idle_max : busy);
    write->trimmed.assign(dead_rows_.begin(),
                          dead_rows_.begin() + static_cast<std::ptrdiff_t>(rows));
  }
  if (write->records.empty() && write->compacted.is_none() && write->trimmed.empty()) {
    return finish_closing();
  }
  in_flight_ = std::move(write);
  journal_->commit(in_flight_, [this, alive = std::weak_ptr(alive_)](JournalOutcome outcome) {
    if (!alive.expired()) committed(std::move(outcome));
  });
}

void LogStore::committed(JournalOutcome outcome) {
  const auto write = std::exchange(in_flight_, nullptr);
  auto waiters = std::exchange(in_flight_waiters_, {});
  auto compactions = std::exchange(in_flight_compactions_, {});
  outstanding_bytes_ -= std::exchange(in_flight_bytes_, 0);
  if (outcome.result) {
    ++commits_;
    make_visible(*write);
  } else {
    ++failed_commits_;
    for (Waiter& waiter : waiters) waiter.answer = outcome.result.error();
    fail_pending(outcome.result.error(), waiters);
  }
  if (outcome.fatal.has_value()) stop(*outcome.fatal);
  if (stopped_.has_value()) {
    fail_pending(*stopped_, waiters);
    finish_closing();
  }
  outstanding_writes_ -= waiters.size();
  schedule_flush();

  // The state is settled: from here on, what is called may call the store again.
  for (Waiter& waiter : waiters) waiter.done(std::move(waiter.answer));
  for (CompactDone& done : compactions) done(outcome.result);
  hub_.notify();
}

void LogStore::make_visible(const JournalWrite& write) {
  std::vector<EventPointer> events;
  events.reserve(write.records.size());
  for (const Record& record : write.records) {
    events.push_back(ledger_.apply(record));
    const auto accepted = accepted_keys_.find(record.key.view());
    if (accepted != accepted_keys_.end() && accepted->second.newest == record.revision) {
      accepted_keys_.erase(accepted);
    }
  }
  hub_.publish(events);
  trim_paused_ = false;
  dead_rows_.erase(dead_rows_.begin(),
                   dead_rows_.begin() + static_cast<std::ptrdiff_t>(write.trimmed.size()));
  if (!write.compacted.is_none()) {
    const auto dead = ledger_.compact(write.compacted);
    dead_rows_.insert(dead_rows_.end(), dead.begin(), dead.end());
  }
  if (const Revision overdue = ledger_.overdue_compaction(); !overdue.is_none()) {
    request_compaction(overdue);
  }
}

// A group has failed, and with it everything that was decided after it.
void LogStore::fail_pending(const Error& error, std::vector<Waiter>& failed) {
  const Error after{
      error.code, fmt::format("not written, because a write before it failed: {}", error.message)};
  for (Group& group : std::exchange(pending_, {})) {
    outstanding_bytes_ -= group.bytes;
    for (Waiter& waiter : group.waiters) failed.push_back({std::move(waiter.done), after});
  }
  accepted_keys_.clear();
  trim_paused_ = true;
}

void LogStore::stop(const Error& error) {
  if (stopped_.has_value()) return;
  stopped_ = Error{ErrorCode::unavailable,
                   fmt::format("the store has stopped for good: {}", error.message)};
  hub_.fail_all(*stopped_);
  schedule_notify();
  // What is in flight is answered by its own commit; what waits will never be sent.
  if (in_flight_ == nullptr) {
    std::vector<Waiter> failed;
    fail_pending(*stopped_, failed);
    outstanding_writes_ -= failed.size();
    for (Waiter& waiter : failed) answer_later(std::move(waiter.done), std::move(waiter.answer));
  }
  for (CompactDone& done : std::exchange(compactions_, {})) {
    house_.post([done = std::move(done), answer = *stopped_]() mutable { done(answer); });
  }
  if (options_.on_fatal) {
    house_.post([this, alive = std::weak_ptr(alive_), cause = error] {
      if (!alive.expired()) options_.on_fatal(cause);
    });
  }
  finish_closing();
}

void LogStore::request_compaction(Revision revision) {
  if (revision <= std::max(ledger_.compacted(), compaction_)) return;
  if (in_flight_ != nullptr && revision <= in_flight_->compacted) return;
  compaction_ = revision;
}

void LogStore::compact(Revision revision, CompactDone done) {
  Result<> answer;
  if (stopped_.has_value()) {
    answer = *stopped_;
  } else if (!closing_.empty() || closed_) {
    answer = Error{ErrorCode::unavailable, "the store is closing"};
  } else if (revision > ledger_.revision()) {
    answer = Error::bad_request(fmt::format("revision {} has not happened yet: the newest is {}",
                                            revision.value, ledger_.revision().value));
  } else if (revision > ledger_.compacted()) {
    if (in_flight_ != nullptr && revision <= in_flight_->compacted) {
      return in_flight_compactions_.push_back(std::move(done));
    }
    compaction_ = std::max(compaction_, revision);
    compactions_.push_back(std::move(done));
    return schedule_flush();
  }
  house_.post([done = std::move(done), answer = std::move(answer)]() mutable { done(answer); });
}

void LogStore::backup(const std::string& path, BackupDone done) {
  if (stopped_.has_value() || !closing_.empty() || closed_) {
    const Error error = stopped_.value_or(Error{ErrorCode::unavailable, "the store is closing"});
    house_.post([done = std::move(done), error]() mutable { done(error); });
    return;
  }
  journal_->backup(path, std::move(done));
}

StoreStatistics LogStore::statistics() const {
  const JournalStatistics journal = journal_->statistics();
  return {.revision = ledger_.revision(),
          .compacted = ledger_.compacted(),
          .keys = ledger_.index().live(),
          .value_bytes = ledger_.index().live_bytes(),
          .history_events = ledger_.history().size(),
          .history_bytes = ledger_.history_bytes(),
          .watches = hub_.watches(),
          .watches_cut_off = hub_.cut_off(),
          .outstanding_writes = outstanding_writes_,
          .commits = commits_,
          .failed_commits = failed_commits_,
          .rows_to_trim = dead_rows_.size(),
          .checkpoints = journal.checkpoints,
          .journal_bytes = journal.bytes_ahead};
}

void LogStore::close(Task done) {
  if (closed_ && closing_.empty()) return house_.post(std::move(done));
  closing_.push_back(std::move(done));
  hub_.fail_all(Error{ErrorCode::unavailable, "the store is closing"});
  schedule_notify();
  if (in_flight_ == nullptr) pending_.empty() ? finish_closing() : flush();
}

void LogStore::finish_closing() {
  if (closing_.empty() || closed_ || in_flight_ != nullptr) return;
  closed_ = true;
  journal_->close([this, alive = std::weak_ptr(alive_)] {
    if (alive.expired()) return;
    for (Task& done : std::exchange(closing_, {})) done();
  });
}

}  // namespace muster::store
