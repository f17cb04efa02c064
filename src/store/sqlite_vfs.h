// SqliteVfs: SQLite's operating system is a Disk. Every byte that SQLite reads and writes goes
// through File, so the simulator can lose, tear and fail it. Writes to the write-ahead log are
// gathered and handed over in one piece when SQLite syncs, which is before anybody is answered.
// Pages of the main file end in a checksum (when the file reserves room for it), which is checked
// whenever one is read; the write-ahead log has SQLite's own.
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

// Room at the end of a page: CRC-32C of the rest (begun with the page's number), and the number.
inline constexpr int page_seal_bytes = 8;

class SqliteVfs {
 public:
  explicit SqliteVfs(Disk& disk);
  SqliteVfs(const SqliteVfs&) = delete;
  SqliteVfs& operator=(const SqliteVfs&) = delete;
  ~SqliteVfs();

  const char* name() const;

  // The first sync that failed, on any file: from then on nobody knows what is on the disk.
  std::optional<Error> sync_failure() const;

  // To look into a damaged file for what is left of it.
  void stop_checking_pages();

  // What the disk said when it last failed; SQLite keeps only a number.
  std::string last_failure() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace muster::store
