// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "store/sqlite_log_check.h"
#include "store/sqlite_schema.h"

namespace muster::store {

struct SqliteDatabase::Statements {
  SqliteStatement begin;
  SqliteStatement commit;
  SqliteStatement insert;
  SqliteStatement remove;
  SqliteStatement compact;
};

namespace {

// The log's file shrinks back to this after a burst.
constexpr const char* writer_settings =
    "PRAGMA journal_mode=WAL; PRAGMA journal_size_limit=67108864";

constexpr const char* first_revision = "SELECT coalesce(min(revision), 0) FROM log";
constexpr const char* last_revision = "SELECT coalesce(max(revision), 0) FROM log";

constexpr std::string_view what_to_do =
    "; if the disk is sound, restore a backup into an empty folder";

// Keys are printed as they are, except for what would disturb a terminal.
std::string printable(std::string_view key) {
  std::string text;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x20 || byte >= 0x7F ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return text;
}

Error damaged_row(const std::string& path, const Record& record, std::string_view what) {
  return Error::internal(fmt::format("{} is damaged: the record of key \"{}\" at revision {} {}{}",
                                     path, printable(record.key.view()), record.revision.value,
                                     what, what_to_do));
}

Error damaged_after(const std::string& path, const Recovered& sofar, const Error& error) {
  if (sofar.records.empty()) {
    return Error::internal(
        fmt::format("{} is damaged at its beginning: {}{}", path, error.message, what_to_do));
  }
  const Record& last = sofar.records.back();
  return Error::internal(fmt::format("{} is damaged after key \"{}\" at revision {}: {}{}", path,
                                     printable(last.key.view()), last.revision.value, error.message,
                                     what_to_do));
}

}  // namespace

SqliteDatabase::SqliteDatabase(Disk& disk, std::string path)
    : disk_(disk), path_(std::move(path)) {}

SqliteDatabase::~SqliteDatabase() = default;

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::open(Disk& disk,
                                                             const std::string& folder) {
  TRY(disk.make_folder(folder));
  const std::string path = folder + "/store.db";
  auto lock = disk.lock(path);
  if (!lock) {
    if (lock.error().code != ErrorCode::conflict) return lock.error();
    return Error{ErrorCode::conflict,
                 fmt::format("{} is in use: another process has this data folder open; stop it "
                             "first, or choose another folder",
                             path)};
  }
  std::unique_ptr<SqliteDatabase> database(new SqliteDatabase(disk, path));
  database->lock_ = std::move(lock).take();
  TRY(disk.sync_folder(folder));
  if (auto started = database->start(); !started) {
    if (started.error().code != ErrorCode::internal) return started.error();
    return Error::internal(
        fmt::format("{} cannot be opened: {}{}", path, started.error().message, what_to_do));
  }
  return database;
}

Result<> SqliteDatabase::start() {
  TRY(check_log(disk_, path_));
  vfs_ = std::make_unique<SqliteVfs>(disk_);
  writer_ = TRY(SqliteConnection::open(*vfs_, path_));
  TRY(prepare_schema(*writer_, path_));
  TRY(writer_->run(writer_settings));
  // The first read recovers the log, before a second connection looks at it.
  page_bytes_ = static_cast<std::uint64_t>(TRY(writer_->integer("PRAGMA page_size")));
  TRY(writer_->integer("SELECT count(*) FROM meta"));
  background_ = TRY(SqliteConnection::open(*vfs_, path_));
  statements_ = std::make_unique<Statements>(Statements{
      .begin = TRY(writer_->prepare("BEGIN IMMEDIATE")),
      .commit = TRY(writer_->prepare("COMMIT")),
      .insert = TRY(writer_->prepare("INSERT INTO log VALUES(?1, ?2, ?3, ?4, ?5)")),
      .remove = TRY(writer_->prepare("DELETE FROM log WHERE revision = ?1")),
      .compact = TRY(writer_->prepare("UPDATE meta SET value = ?1 WHERE name = 'compacted'")),
  });
  return {};
}

// Each half on a connection of its own.
Result<Recovered> SqliteDatabase::load_halves(const InParallel& in_parallel) {
  const std::int64_t first = TRY(writer_->integer(first_revision));
  const std::int64_t middle = std::midpoint(first, TRY(writer_->integer(last_revision)));
  Result<Recovered> lower = Recovered();
  Result<Recovered> upper = Recovered();
  in_parallel(2, [&](std::size_t piece) {
    if (piece == 0) {
      lower = load_log(*writer_, path_, {.last = middle});
    } else {
      upper = load_log(*background_, path_, {.first = middle + 1});
    }
  });
  if (!lower) return lower;
  if (!upper) return upper;
  lower->records.reserve(lower->records.size() + upper->records.size());
  std::ranges::move(upper->records, std::back_inserter(lower->records));
  return lower;
}

Result<Recovered> SqliteDatabase::load(const InParallel& in_parallel) {
  if (auto halves = load_halves(in_parallel)) return halves;
  // Something is damaged: what comes first in the log is what is to be named.
  auto loaded = load_log(*writer_, path_);
  if (loaded) return loaded;
  // A page is damaged. Its rows may tell which of them it hit.
  vfs_->stop_checking_pages();
  auto closer = load_log(*writer_, path_);
  return closer ? Result<Recovered>(loaded.error()) : Result<Recovered>(closer.error());
}

Result<Recovered> load_log(SqliteConnection& connection, const std::string& path,
                           const LogRange& range) {
  Recovered recovered;
  const auto compacted = connection.integer("SELECT value FROM meta WHERE name = 'compacted'");
  if (!compacted) return damaged_after(path, recovered, compacted.error());
  recovered.compacted = {static_cast<std::uint64_t>(*compacted)};
  auto rows =
      TRY(connection.prepare("SELECT revision, previous, checksum, key, value FROM log "
                             "WHERE revision BETWEEN ?1 AND ?2 ORDER BY revision"));
  rows.bind(1, range.first);
  rows.bind(2, range.last);
  while (true) {
    const auto row = rows.step();
    if (!row) return damaged_after(path, recovered, row.error());
    if (!*row) return recovered;
    Record record{.revision = {static_cast<std::uint64_t>(rows.integer(0))},
                  .previous = {static_cast<std::uint64_t>(rows.integer(1))},
                  .key = Bytes::copy_of(rows.bytes(3)),
                  .value = {}};
    if (!rows.is_null(4)) record.value = Bytes::copy_of(rows.bytes(4));
    if (rows.integer(2) != row_checksum(record)) {
      return damaged_row(path, record, "does not match its checksum");
    }
    recovered.records.push_back(std::move(record));
  }
}

Result<> SqliteDatabase::write_rows(const JournalWrite& write) {
  SqliteStatement& insert = statements_->insert;
  for (const Record& record : write.records) {
    insert.bind(1, static_cast<std::int64_t>(record.revision.value));
    insert.bind(2, static_cast<std::int64_t>(record.previous.value));
    insert.bind(3, row_checksum(record));
    insert.bind_bytes(4, record.key.view());
    record.value.is_none() ? insert.bind_null(5) : insert.bind_bytes(5, record.value.view());
    TRY(insert.run());
  }
  if (!write.compacted.is_none()) {
    statements_->compact.bind(1, static_cast<std::int64_t>(write.compacted.value));
    TRY(statements_->compact.run());
  }
  for (const Revision revision : write.trimmed) {
    statements_->remove.bind(1, static_cast<std::int64_t>(revision.value));
    TRY(statements_->remove.run());
  }
  return {};
}

Result<> SqliteDatabase::write_transaction(const JournalWrite& write) {
  TRY(statements_->begin.run());
  TRY(write_rows(write));
  return statements_->commit.run();
}

CommitOutcome SqliteDatabase::commit(const JournalWrite& write, CheckpointRest rest) {
  CommitOutcome outcome;
  outcome.journal.result = write_transaction(write);
  if (!outcome.journal.result) {
    if (!writer_->failure_passes()) outcome.journal.fatal = outcome.journal.result.error();
    if (writer_->in_transaction()) {
      if (auto undone = writer_->run("ROLLBACK"); !undone) outcome.journal.fatal = undone.error();
    }
  } else if (rest == CheckpointRest::yes) {
    // The commit is durable, whatever becomes of this; a failed sync shows below.
    const auto left = writer_->checkpoint();
    static_cast<void>(left.has_value());
  }
  outcome.bytes_ahead = writer_->log_pages() * page_bytes_;
  if (auto sync_failure = vfs_->sync_failure(); sync_failure.has_value()) {
    outcome.journal.fatal = std::move(sync_failure);
  }
  return outcome;
}

CheckpointOutcome SqliteDatabase::checkpoint() {
  CheckpointOutcome outcome;
  const auto left = background_->checkpoint();
  if (left) {
    outcome.bytes_left = *left * page_bytes_;
  } else {
    outcome.result = left.error();
  }
  outcome.fatal = vfs_->sync_failure();
  return outcome;
}

void SqliteDatabase::close() {
  statements_.reset();
  background_.reset();
  if (writer_ != nullptr && !vfs_->sync_failure().has_value()) {
    // When it does not succeed, the next start recovers from the log as after a crash.
    const auto moved = writer_->run("PRAGMA wal_checkpoint(TRUNCATE)");
    static_cast<void>(moved.has_value());
  }
  writer_.reset();
  vfs_.reset();
  lock_.reset();
}

}  // namespace muster::store
