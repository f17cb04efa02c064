// Journal: the durable half of a store, and the seam between its drivers. The log-structured half
// (log_store.h) decides, orders and groups; a journal makes one group after the other durable.
//
//   journal->commit(write, [](JournalOutcome outcome) { … });   // on the house executor
//
// Assumes: one commit at a time, the next after the answer to the last; revisions grow from
// commit to commit. A commit is all or nothing, also when the process dies in the middle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "store/store.h"

namespace muster::store {

// One write as the log keeps it.
struct Record {
  Revision revision;
  Revision previous;  // of the live value that it replaced; none when there was none
  Bytes key;
  Bytes value;  // none: a delete
};

// What becomes durable together.
struct JournalWrite {
  std::vector<Record> records;
  Revision compacted;             // none: unchanged
  std::vector<Revision> trimmed;  // rows that no state since `compacted` needs
};

struct JournalOutcome {
  Result<> result;
  std::optional<Error> fatal = {};  // nobody knows what is on disk: never write again
};

// What a journal held when it was opened, oldest first.
struct Recovered {
  Revision compacted;
  std::vector<Record> records;
};

struct JournalStatistics {
  std::uint64_t checkpoints = 0;
  std::uint64_t bytes_ahead = 0;
};

class Journal {
 public:
  virtual ~Journal() = default;

  virtual void commit(std::shared_ptr<const JournalWrite> write,
                      UniqueFunction<void(JournalOutcome)> done) = 0;

  virtual void backup(const std::string& path, BackupDone done) = 0;

  // Called at most once, when something failed for good outside a commit.
  virtual void on_fatal(UniqueFunction<void(Error)> handler) = 0;

  virtual JournalStatistics statistics() const = 0;

  // After the last commit.
  virtual void close(Task done) = 0;
};

}  // namespace muster::store
