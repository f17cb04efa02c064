// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "store/ledger.h"
#include "store/limits.h"
#include "store/sqlite_database.h"
#include "store/sqlite_schema.h"

namespace muster::store {

namespace {

constexpr std::size_t copy_bytes = mebibyte;
constexpr int copy_attempts_max = 100;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

Result<> remove_if_there(Disk& disk, const std::string& path) {
  if (TRY(disk.exists(path))) TRY(disk.remove(path));
  return {};
}

Result<> sync_file(Disk& disk, const std::string& path) {
  const auto file = TRY(disk.open(path, OpenMode::read_write));
  return file->sync();
}

Result<> copy_file(Disk& disk, const std::string& from, const std::string& to) {
  const auto source = TRY(disk.open(from, OpenMode::read));
  const auto target = TRY(disk.open(to, OpenMode::create_new));
  std::vector<std::byte> buffer(copy_bytes);
  for (std::uint64_t at = 0;;) {
    const std::size_t got = TRY(source->read_at(at, buffer));
    if (got == 0) break;
    TRY(target->write_at(at, std::span(buffer).first(got)));
    at += got;
  }
  return target->sync();
}

Result<Revision> newest_revision(SqliteConnection& connection) {
  const auto revision =
      TRY(connection.integer("SELECT max(ifnull((SELECT max(revision) FROM log), 0),"
                             " (SELECT value FROM meta WHERE name = 'compacted'))"));
  return Revision{static_cast<std::uint64_t>(revision)};
}

// Checks every record of the copy, and moves its revision beyond all that were handed out since.
Result<Revision> renumber(Disk& disk, const std::string& path, const std::string& backup) {
  const SqliteVfs vfs(disk);
  const auto connection = TRY(SqliteConnection::open(vfs, path));
  if (TRY(connection->integer("SELECT count(*) FROM sqlite_schema")) == 0) {
    return Error::invalid(fmt::format("{} is empty: it is not a backup of a store", backup));
  }
  TRY(prepare_schema(*connection, backup));
  Recovered recovered = TRY(load_log(*connection, backup));
  Ledger ledger({});
  TRY(ledger.recover(std::move(recovered)));
  const std::uint64_t revision = ledger.revision().value;
  if (revision > std::numeric_limits<std::int64_t>::max() - restore_revision_jump) {
    return Error::invalid(fmt::format("{} has no revisions left", backup));
  }
  auto update = TRY(connection->prepare("UPDATE meta SET value = ?1 WHERE name = 'compacted'"));
  update.bind(1, static_cast<std::int64_t>(revision + restore_revision_jump));
  TRY(update.run());
  // One file, no log beside it, until it has its name.
  TRY(connection->run("PRAGMA journal_mode=DELETE"));
  return Revision{revision + restore_revision_jump};
}

}  // namespace

// A reader looks for its place in the log a hundred times and then gives up: SQLite means to wait
// in between, which a lane of the disk must not do while commits come as fast as they can.
Result<> SqliteDatabase::copy_into(const std::string& partial) {
  const std::string copy = "VACUUM INTO " + quoted(partial);
  for (int attempt = 1;; ++attempt) {
    TRY(remove_if_there(disk_, partial));
    const auto copied = background_->run(copy.c_str());
    if (copied) return {};
    if (attempt < copy_attempts_max && background_->was_overtaken()) continue;
    TRY(remove_if_there(disk_, partial));
    return copied.error();
  }
}

Result<Revision> SqliteDatabase::backup(const std::string& path) {
  if (TRY(disk_.exists(path))) {
    return Error{ErrorCode::already_exists, fmt::format("{} is already there", path)};
  }
  const std::string partial = path + ".partial";
  TRY(copy_into(partial));
  Revision revision;
  {
    const auto copy = TRY(SqliteConnection::open(*vfs_, partial));
    revision = TRY(newest_revision(*copy));
  }
  TRY(sync_file(disk_, partial));
  TRY(disk_.rename(partial, path));
  TRY(disk_.sync_folder(folder_of(path)));
  return revision;
}

Result<Revision> restore_database(Disk& disk, const std::string& backup,
                                  const std::string& folder) {
  TRY(disk.make_folder(folder));
  const std::string partial = folder + "/store.db.partial";
  for (const std::string& name : TRY(disk.list(folder))) {
    // What an earlier attempt left behind is no store.
    if (name.starts_with("store.db.partial")) {
      TRY(disk.remove(fmt::format("{}/{}", folder, name)));
    } else {
      return Error{ErrorCode::conflict,
                   fmt::format("{} is not empty (it has \"{}\"): a backup is restored into an "
                               "empty folder only",
                               folder, name)};
    }
  }
  TRY(copy_file(disk, backup, partial));
  const Revision revision = TRY(renumber(disk, partial, backup));
  TRY(disk.rename(partial, folder + "/store.db"));
  TRY(disk.sync_folder(folder));
  return revision;
}

}  // namespace muster::store
