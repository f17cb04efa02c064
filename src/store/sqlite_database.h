// SqliteDatabase: the file of a durable store, with everything that blocks. Its calls belong into
// jobs of the disk: commit() to the commit lane, checkpoint() and backup() to the background one;
// each lane has its own connection, so they may run at the same time.
//
//   auto database = TRY(SqliteDatabase::open(disk, "data"));
//   auto recovered = TRY(database->load(one_by_one));
//   database->commit(write, CheckpointRest::no);
//
// Files in the folder: store.db (also the lock), store.db-wal (commits not yet in it).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "base/disk.h"
#include "base/in_parallel.h"
#include "base/result.h"
#include "store/journal.h"
#include "store/sqlite_connection.h"
#include "store/sqlite_vfs.h"

namespace muster::store {

// Whether a commit also moves the rest of the write-ahead log, so that it starts from its front.
enum class CheckpointRest : std::uint8_t { no, yes };

struct CommitOutcome {
  JournalOutcome journal;
  std::uint64_t bytes_ahead = 0;
};

struct CheckpointOutcome {
  Result<> result;
  std::uint64_t bytes_left = 0;
  std::optional<Error> fatal;
};

class SqliteDatabase {
 public:
  // Errors: conflict (another process has it), invalid (not ours, or too new), internal (damaged).
  static Result<std::unique_ptr<SqliteDatabase>> open(Disk& disk, const std::string& folder);

  ~SqliteDatabase();

  // Everything in the log, each row against its checksum.
  Result<Recovered> load(const InParallel& in_parallel);

  CommitOutcome commit(const JournalWrite& write, CheckpointRest rest);
  CheckpointOutcome checkpoint();
  Result<Revision> backup(const std::string& path);

  // Moves the log into the main file and lets go of both, and of the lock.
  void close();

 private:
  Result<Recovered> load_halves(const InParallel& in_parallel);
  Result<> copy_into(const std::string& partial);
  struct Statements;

  SqliteDatabase(Disk& disk, std::string path);
  Result<> start();
  Result<> write_rows(const JournalWrite& write);
  Result<> write_transaction(const JournalWrite& write);

  Disk& disk_;
  const std::string path_;
  std::unique_ptr<FileLock> lock_;
  std::unique_ptr<SqliteVfs> vfs_;
  std::unique_ptr<SqliteConnection> writer_;
  std::unique_ptr<SqliteConnection> background_;
  std::unique_ptr<Statements> statements_;  // of the writer
  std::uint64_t page_bytes_ = 0;
};

// The rows of a log that are read: both ends are among them.
struct LogRange {
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

// Reads a log row by row; names the key of a row that is damaged. Also for backups.
Result<Recovered> load_log(SqliteConnection& connection, const std::string& path,
                           const LogRange& range = {});

// How much larger than the backup's revision the first revision after a restore is: more than any
// store hands out between a backup and its loss.
inline constexpr std::uint64_t restore_revision_jump = 1'000'000'000;

// Makes a store in an empty folder from a backup, and answers its revision.
Result<Revision> restore_database(Disk& disk, const std::string& backup, const std::string& folder);

}  // namespace muster::store
