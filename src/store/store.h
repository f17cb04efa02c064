// Store: keys and bytes under one revision that only grows. It knows no kinds. Every write gets
// the next revision; a delete is a write too. Conditions are checked against the newest accepted
// write, also one still on its way to the disk; readers and watchers see only what is durable.
//
//   store.put_if("/pods/default/a", Bytes::copy_of(body), Expected::absent(),
//                [](Result<Revision> written) { … });           // after it is on disk
//   auto page = TRY(store.list({.prefix = "/pods/", .limit = 500}));
//   auto watch = TRY(store.watch_from(page.revision, "/pods/", [] { drain(); }));
//
// Assumes: every method is called on the house executor's thread, and every callback comes there,
// never from inside the call that it answers. A callback may call the store, not destroy it.
// After a write failed on disk, everything accepted after it fails too: those decisions were made
// on a state that never was. Their revisions are not used again.
//
//             accepted                     durable
//   put_if ──► pending ──► in a batch ──┬──► readers, watchers, callback(revision)
//      │ condition does not hold        └──► callback(error), with all accepted after it
//      └──► callback(error), once what it was decided on is durable
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "store/bytes.h"

namespace muster::store {

// Counts writes over the whole store. 0 is before the first. No two writes that anybody could see
// or was told of have the same number, also not across restarts.
struct Revision {
  std::uint64_t value = 0;

  constexpr bool is_none() const { return value == 0; }
  friend constexpr auto operator<=>(Revision, Revision) = default;
};

// What a write demands of the key's present state.
class Expected {
 public:
  static Expected any() { return Expected(Kind::any, {}); }
  static Expected absent() { return Expected(Kind::absent, {}); }
  static Expected exactly(Revision revision) { return Expected(Kind::exactly, revision); }

  bool is_any() const { return kind_ == Kind::any; }
  bool is_absent() const { return kind_ == Kind::absent; }
  Revision revision() const { return revision_; }  // none unless exactly

 private:
  enum class Kind : std::uint8_t { any, absent, exactly };
  Expected(Kind kind, Revision revision) : kind_(kind), revision_(revision) {}
  Kind kind_;
  Revision revision_;
};

struct Entry {
  Bytes key;
  Bytes value;
  Revision revision;  // of the write that made it so
};

// One durable write, shared by all who watch. The previous fields tell what it replaced.
struct Event {
  Bytes key;
  Bytes value;  // none: the key was deleted
  Bytes previous_value;
  Revision previous_revision;  // none: the key was not there
  Revision revision;

  bool is_delete() const { return value.is_none(); }
};
using EventPointer = std::shared_ptr<const Event>;

struct ListRequest {
  std::string_view prefix = {};
  Revision at = {};             // none: now. Older ones as long as they are not compacted
  std::size_t limit = 0;        // 0: as many as one page may have (limits.h)
  std::string_view start = {};  // the first key of this page; the last one seen and a zero byte
};

struct ListPage {
  std::vector<Entry> entries;   // in the order of their keys' bytes
  Revision revision;            // the state of the whole store that this is a part of
  std::uint64_t remaining = 0;  // matching keys after the last one of this page
};

struct WatchBatch {
  std::vector<EventPointer> events;
  Revision revision;  // every matching event up to here has been handed out
  bool more = false;  // there is more to take now
};

// One watcher's place in the stream of events. Destroying it ends the watch.
//
//              take(): reached now                   too far behind
//   catching up ──────────────────► live ─────────────────────────────► failed
//        │                            ▲ each durable batch is buffered      ▲
//        └── compacted away ──────────┼─────────────────────────────────────┘
class Watch {
 public:
  virtual ~Watch() = default;

  // Up to `limit` events that match, in revision order, each exactly once. After a batch without
  // `more`, on_ready comes once when there is something new. Errors are for good: expired (the
  // position was compacted), too_many_requests (cut off for being slow), unavailable (stopped).
  virtual Result<WatchBatch> take(std::size_t limit) = 0;
};

struct StoreStatistics {
  Revision revision;
  Revision compacted;
  std::uint64_t keys = 0;
  std::uint64_t value_bytes = 0;
  std::uint64_t history_events = 0;
  std::uint64_t history_bytes = 0;
  std::uint64_t watches = 0;
  std::uint64_t watches_cut_off = 0;
  std::uint64_t outstanding_writes = 0;
  std::uint64_t commits = 0;  // transactions, of any number of writes
  std::uint64_t failed_commits = 0;
  std::uint64_t rows_to_trim = 0;  // compacted, and still in the file
  std::uint64_t checkpoints = 0;
  std::uint64_t journal_bytes = 0;  // written ahead and not yet in the main file
};

using WriteDone = UniqueFunction<void(Result<Revision>)>;
using CompactDone = UniqueFunction<void(Result<>)>;
using BackupDone = UniqueFunction<void(Result<Revision>)>;

class Store {
 public:
  virtual ~Store() = default;

  // Answers the revision of this write. Errors: already_exists (absent was expected), conflict
  // (another revision is there), not_found (a revision was expected and nothing is there),
  // too_large, too_many_requests, insufficient_storage, unavailable (stopped), internal.
  virtual void put_if(std::string_view key, Bytes value, Expected expected, WriteDone done) = 0;

  // The same; not_found whenever nothing is there.
  virtual void delete_if(std::string_view key, Expected expected, WriteDone done) = 0;

  // not_found when absent.
  virtual Result<Entry> get(std::string_view key) const = 0;

  // expired when `at` was compacted, bad_request when it has not happened yet.
  virtual Result<ListPage> list(const ListRequest& request) const = 0;

  // Events after the given revision, which may lie in the future. expired when compacted.
  virtual Result<std::unique_ptr<Watch>> watch_from(Revision after, std::string_view prefix,
                                                    Task on_ready) = 0;

  // Forgets what was before the state at this revision; the state itself stays. Answers when that
  // is durable; the rows leave the file afterwards, bit by bit.
  virtual void compact(Revision revision, CompactDone done) = 0;

  // Writes the state at one durable revision to a new file, and answers that revision.
  virtual void backup(const std::string& path, BackupDone done) = 0;

  // The newest durable one.
  virtual Revision revision() const = 0;

  virtual StoreStatistics statistics() const = 0;

  // Takes no more writes, finishes those accepted, writes everything into the main file and lets
  // go of it. Watches end. Destroying a store without close() is what a crash does.
  virtual void close(Task done) = 0;
};

}  // namespace muster::store
