// LogStore: the log-structured half of every store. It decides conditional writes against the
// newest accepted state, gathers what is accepted while the previous commit runs into one group,
// and makes a group visible when the journal says that it is durable.
//
//   auto store = TRY(LogStore::create(house, std::move(journal), std::move(recovered), {}));
//
//            accept                flush                 committed
//   (idle) ─────────► pending ──────────────► in flight ───────────► ledger, watchers, answers
//                        ▲   one group at a time   │ failed
//                        └──── next group ◄────────┴────────► the group and all pending fail;
//                                                             fatal: stopped for good
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/executor.h"
#include "store/journal.h"
#include "store/ledger.h"
#include "store/store.h"
#include "store/store_options.h"
#include "store/watch_hub.h"

namespace muster::store {

class LogStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> create(Executor& house, std::unique_ptr<Journal> journal,
                                               Recovered recovered, StoreOptions options);
  ~LogStore() override;

  void put_if(std::string_view key, Bytes value, Expected expected, WriteDone done) override;
  void delete_if(std::string_view key, Expected expected, WriteDone done) override;
  Result<Entry> get(std::string_view key) const override;
  Result<ListPage> list(const ListRequest& request) const override { return ledger_.list(request); }
  Result<std::unique_ptr<Watch>> watch_from(Revision after, std::string_view prefix,
                                            Task on_ready) override;
  void compact(Revision revision, CompactDone done) override;
  void backup(const std::string& path, BackupDone done) override;
  Revision revision() const override { return ledger_.revision(); }
  StoreStatistics statistics() const override;
  void close(Task done) override;

 private:
  // One call waiting for its answer: a write, or a refusal that rests on writes before it.
  struct Waiter {
    WriteDone done;
    Result<Revision> answer;
  };

  struct Group {
    std::vector<Record> records;
    std::vector<Waiter> waiters;
    std::size_t bytes = 0;
  };

  // The newest accepted state of a key whose write is not durable yet.
  struct AcceptedKey {
    Bytes key;
    Revision newest;  // also of a delete
    Revision live;    // none when deleted
  };

  LogStore(Executor& house, std::unique_ptr<Journal> journal, StoreOptions options);

  void write(std::string_view key, Bytes value, Expected expected, WriteDone done);
  Result<> admit(std::string_view key, const Bytes& value) const;
  void answer_later(WriteDone done, Result<Revision> answer);
  Group& open_group(std::size_t bytes);

  void schedule_flush();
  void flush();
  void committed(JournalOutcome outcome);
  void make_visible(const JournalWrite& write);
  void fail_pending(const Error& error, std::vector<Waiter>& failed);
  void stop(const Error& error);
  void request_compaction(Revision revision);
  void finish_closing();
  void schedule_notify();

  Executor& house_;
  std::unique_ptr<Journal> journal_;
  StoreOptions options_;
  Ledger ledger_;
  WatchHub hub_;
  std::shared_ptr<bool> alive_;  // tasks on the executor hold it weakly

  Revision accepted_;  // the newest revision given to a write
  std::unordered_map<std::string_view, AcceptedKey> accepted_keys_;  // only looked up
  std::deque<Group> pending_;
  std::size_t outstanding_writes_ = 0;
  std::size_t outstanding_bytes_ = 0;

  std::shared_ptr<const JournalWrite> in_flight_;
  std::vector<Waiter> in_flight_waiters_;
  std::size_t in_flight_bytes_ = 0;
  std::vector<CompactDone> in_flight_compactions_;

  Revision compaction_;  // wanted and not yet in flight
  std::vector<CompactDone> compactions_;
  std::deque<Revision> dead_rows_;
  bool trim_paused_ = false;  // a failed commit: wait for one that succeeds

  bool flush_scheduled_ = false;
  bool notify_scheduled_ = false;
  std::optional<Error> stopped_;
  std::vector<Task> closing_;
  bool closed_ = false;
  std::uint64_t commits_ = 0;
  std::uint64_t failed_commits_ = 0;
};

}  // namespace muster::store
