// SqliteVfs: SQLite's operating system is a Disk. Every byte that SQLite reads and writes goes
// through File, so the simulator can lose, tear and fail it. Writes to the write-ahead log are
// gathered and handed over in one piece when SQLite syncs, which is before anybody is answered.
//
//   auto vfs = std::make_unique<SqliteVfs>(disk);
//   sqlite3_open_v2(path, &db, flags, vfs->name());
//
// Assumes: Disk::lock keeps other processes away; all connections are closed before it goes. A
// full disk becomes SQLITE_FULL, any other failure SQLITE_IOERR; a failed sync is remembered.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/disk.h"
#include "base/error.h"

namespace muster::store {

class SqliteVfs {
 public:
  explicit SqliteVfs(Disk& disk);
  SqliteVfs(const SqliteVfs&) = delete;
  SqliteVfs& operator=(const SqliteVfs&) = delete;
  ~SqliteVfs();

  const char* name() const;

  // The first sync that failed, on any file: from then on nobody knows what is on the disk.
  std::optional<Error> sync_failure() const;

  // What the disk said when it last failed; SQLite keeps only a number.
  std::string last_failure() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace muster::store
