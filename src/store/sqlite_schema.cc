// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_schema.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

#include "store/checksum.h"

namespace muster::store {

namespace {

// One b-tree, so that a commit appends to one place; the state by key is rebuilt when opening.
// The value comes last: the small columns are read without it.
constexpr const char* create_log =
    "CREATE TABLE log(revision INTEGER PRIMARY KEY, previous INTEGER NOT NULL,"
    " checksum INTEGER NOT NULL, key BLOB NOT NULL, value BLOB) STRICT";
constexpr const char* create_meta =
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID";

Result<> create(SqliteConnection& connection) {
  TRY(connection.run(fmt::format("PRAGMA page_size={}", page_bytes_new).c_str()));
  connection.reserve_page_bytes(page_seal_bytes);
  TRY(connection.run("BEGIN IMMEDIATE"));
  TRY(connection.run(create_log));
  TRY(connection.run(create_meta));
  TRY(connection.run("INSERT INTO meta VALUES('compacted', 0)"));
  TRY(connection.run(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}; COMMIT",
                                 application_id, schema_version)
                         .c_str()));
  return {};
}

// Version 1 knew neither what a write replaced nor checksums: both follow from its rows in order.
Result<> copy_version_1(SqliteConnection& connection) {
  auto rows =
      TRY(connection.prepare("SELECT revision, key, value, deleted FROM log_1"
                             " ORDER BY revision"));
  auto insert = TRY(connection.prepare("INSERT INTO log VALUES(?1, ?2, ?3, ?4, ?5)"));
  std::unordered_map<std::string, Revision> live;
  while (TRY(rows.step())) {
    Record record;
    record.revision = {static_cast<std::uint64_t>(rows.integer(0))};
    record.key = Bytes::copy_of(rows.bytes(1));
    if (rows.integer(3) == 0) record.value = Bytes::copy_of(rows.bytes(2));
    Revision& known = live[std::string(record.key.view())];
    record.previous = known;
    known = record.value.is_none() ? Revision{} : record.revision;
    insert.bind(1, rows.integer(0));
    insert.bind(2, static_cast<std::int64_t>(record.previous.value));
    insert.bind(3, row_checksum(record));
    insert.bind_bytes(4, record.key.view());
    record.value.is_none() ? insert.bind_null(5) : insert.bind_bytes(5, record.value.view());
    TRY(insert.run());
  }
  return {};
}

Result<> migrate_from_1(SqliteConnection& connection) {
  TRY(connection.run("BEGIN IMMEDIATE"));
  TRY(connection.run("ALTER TABLE log RENAME TO log_1"));
  TRY(connection.run(create_log));
  TRY(copy_version_1(connection));
  TRY(connection.run(
      fmt::format("DROP TABLE log_1; PRAGMA user_version={}; COMMIT", schema_version).c_str()));
  return {};
}

Result<> to_present_version(SqliteConnection& connection, const std::string& path) {
  const std::int64_t tables = TRY(connection.integer("SELECT count(*) FROM sqlite_schema"));
  const std::int64_t version = TRY(connection.integer("PRAGMA user_version"));
  if (tables == 0 && version == 0) return create(connection);
  if (TRY(connection.integer("PRAGMA application_id")) != application_id) {
    return Error::invalid(fmt::format("{} is not a store of Muster", path));
  }
  if (version == schema_version) return {};
  if (version == 1) return migrate_from_1(connection);
  return Error::invalid(
      fmt::format("{} has schema version {}, and this program knows versions up to {}: use a newer "
                  "release of Muster, or restore a backup made with this one",
                  path, version, schema_version));
}

// Files of version 1 have no room for seals: they are written anew. Also after a crash in between.
Result<> seal_pages(SqliteConnection& connection) {
  TRY(connection.run("PRAGMA journal_mode=DELETE"));
  connection.reserve_page_bytes(page_seal_bytes);
  return connection.run("VACUUM");
}

}  // namespace

Result<> prepare_schema(SqliteConnection& connection, const std::string& path) {
  auto done = to_present_version(connection, path);
  if (!done && connection.in_transaction()) {
    if (auto undone = connection.run("ROLLBACK"); !undone) return undone;
  }
  if (done && connection.reserved_page_bytes() < page_seal_bytes) return seal_pages(connection);
  return done;
}

std::uint32_t row_checksum(const Record& record) {
  char head[21];
  const auto put = [&head](std::size_t at, std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) head[at + i] = static_cast<char>(value >> (8 * i));
  };
  put(0, record.revision.value, 8);
  put(8, record.previous.value, 8);
  put(16, record.key.size(), 4);
  put(20, record.value.is_none() ? 0 : 1, 1);
  std::uint32_t sum = crc32c(std::string_view(head, sizeof(head)));
  sum = crc32c(record.key.view(), sum);
  return crc32c(record.value.view(), sum);
}

}  // namespace muster::store
