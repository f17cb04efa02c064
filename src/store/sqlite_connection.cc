// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_connection.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/check.h"

namespace muster::store {

namespace {

// The two connections of a store meet only for moments, inside SQLite's own protocol: asking again
// is enough, and this many times is for ever.
constexpr int busy_retries_max = 100'000;
int on_busy(void* /*context*/, int count) {
  return count < busy_retries_max ? 1 : 0;
}

int on_commit(void* pages, sqlite3* /*db*/, const char* /*name*/, int count) {
  *static_cast<std::uint64_t*>(pages) = static_cast<std::uint64_t>(count);
  return SQLITE_OK;
}

}  // namespace

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

SqliteStatement::SqliteStatement(SqliteConnection& connection, sqlite3_stmt* statement)
    : connection_(&connection), statement_(statement) {}

void SqliteStatement::bind(int parameter, std::int64_t value) {
  CHECK(sqlite3_bind_int64(statement_.get(), parameter, value) == SQLITE_OK);
}

void SqliteStatement::bind_bytes(int parameter, std::string_view bytes) {
  // No bytes are not the same as nothing, so the pointer must not be null.
  const char* data = bytes.empty() ? "" : bytes.data();
  CHECK(sqlite3_bind_blob64(statement_.get(), parameter, data, bytes.size(), SQLITE_STATIC) ==
        SQLITE_OK);
}

void SqliteStatement::bind_null(int parameter) {
  CHECK(sqlite3_bind_null(statement_.get(), parameter) == SQLITE_OK);
}

Result<bool> SqliteStatement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_.get());
    return false;
  }
  Error error = connection_->failure(code);
  sqlite3_reset(statement_.get());
  return error;
}

Result<> SqliteStatement::run() {
  while (TRY(step())) continue;
  return {};
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view SqliteStatement::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::string_view()
                         : std::string_view(data, static_cast<std::size_t>(size));
}

bool SqliteStatement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void SqliteConnection::Close::operator()(sqlite3* db) const {
  sqlite3_close_v2(db);
}

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open(const SqliteVfs& vfs,
                                                                 const std::string& path) {
  std::unique_ptr<SqliteConnection> connection(new SqliteConnection(vfs));
  sqlite3* db = nullptr;
  constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &db, flags, vfs.name());
  connection->db_.reset(db);
  if (code != SQLITE_OK) return connection->failure(code);
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_handler(db, on_busy, nullptr);
  // In the place of SQLite's own checkpoints inside a commit.
  sqlite3_wal_hook(db, on_commit, &connection->log_pages_);
  // Whoever closes says what becomes of the log; dropping a connection writes nothing.
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  TRY(
      connection->run("PRAGMA temp_store=MEMORY; PRAGMA synchronous=FULL; PRAGMA cache_size=-2048;"
                      "PRAGMA mmap_size=0; PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF"));
  return connection;
}

Error SqliteConnection::failure(int code) {
  last_code_ = code;
  const char* said = db_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db_.get());
  const int kind = code & 0xFF;
  if (kind == SQLITE_FULL) {
    return Error{ErrorCode::insufficient_storage,
                 fmt::format("the disk is full ({})", vfs_.last_failure())};
  }
  if (kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN) {
    return Error::internal(fmt::format("{} ({})", vfs_.last_failure(), said));
  }
  return Error::internal(said);
}

bool SqliteConnection::failure_passes() const {
  const int kind = last_code_ & 0xFF;
  if (last_code_ == SQLITE_IOERR_DATA) return false;  // a page is damaged
  return kind == SQLITE_FULL || kind == SQLITE_IOERR || kind == SQLITE_BUSY || was_overtaken();
}

bool SqliteConnection::was_overtaken() const {
  return (last_code_ & 0xFF) == SQLITE_PROTOCOL;
}

Result<> SqliteConnection::run(const char* sql) {
  const int code = sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(code);
  return {};
}

Result<SqliteStatement> SqliteConnection::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(db_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return failure(code);
  return SqliteStatement(*this, statement);
}

Result<std::int64_t> SqliteConnection::integer(std::string_view sql) {
  auto statement = TRY(prepare(sql));
  if (!TRY(statement.step())) return Error::internal(fmt::format("no row for {}", sql));
  return statement.integer(0);
}

int SqliteConnection::reserved_page_bytes() {
  int bytes = -1;
  sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
  return bytes;
}

void SqliteConnection::reserve_page_bytes(int bytes) {
  sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
}

Result<std::uint64_t> SqliteConnection::checkpoint() {
  int pages = 0;
  int copied = 0;
  const int code =
      sqlite3_wal_checkpoint_v2(db_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &pages, &copied);
  if (code != SQLITE_OK) return failure(code);
  return static_cast<std::uint64_t>(pages > copied ? pages - copied : 0);
}

bool SqliteConnection::in_transaction() const {
  return sqlite3_get_autocommit(db_.get()) == 0;
}

}  // namespace muster::store
