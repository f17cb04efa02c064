// SqliteConnection and SqliteStatement: the little of SQLite's interface that the store uses, with
// Result and ownership. Only this folder's sqlite*.cc see SQLite itself.
//
//   auto db = TRY(SqliteConnection::open(vfs, path));
//   auto rows = TRY(db.prepare("SELECT revision FROM log"));
//   while (TRY(rows.step())) rows.integer(0);
//
// Assumes: one thread at a time per connection; statements go before their connection.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/sqlite_vfs.h"

struct sqlite3;
struct sqlite3_stmt;

namespace muster::store {

class SqliteConnection;

class SqliteStatement {
 public:
  // Values must stay where they are until reset(). Parameters count from 1, columns from 0.
  void bind(int parameter, std::int64_t value);
  void bind_bytes(int parameter, std::string_view bytes);
  void bind_null(int parameter);

  // True: a row is there. After false or an error the statement is reset.
  Result<bool> step();

  // A statement without rows, once.
  Result<> run();

  std::int64_t integer(int column) const;
  std::string_view bytes(int column) const;  // good until the next step
  bool is_null(int column) const;

 private:
  friend class SqliteConnection;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  SqliteStatement(SqliteConnection& connection, sqlite3_stmt* statement);

  SqliteConnection* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class SqliteConnection {
 public:
  // Creates the file when it is absent.
  static Result<std::unique_ptr<SqliteConnection>> open(const SqliteVfs& vfs,
                                                        const std::string& path);

  Result<> run(const char* sql);
  Result<SqliteStatement> prepare(std::string_view sql);
  Result<std::int64_t> integer(std::string_view sql);  // the first column of the first row

  // How many bytes at the end of each page are not SQLite's. Setting it needs an empty file, or a
  // VACUUM outside write-ahead mode.
  int reserved_page_bytes();
  void reserve_page_bytes(int bytes);

  // Copies pages of the write-ahead log into the main file, as many as readers allow, without
  // making anybody wait. Answers how many pages it leaves.
  Result<std::uint64_t> checkpoint();

  // Pages in the write-ahead log after the last commit of this connection.
  std::uint64_t log_pages() const { return log_pages_; }
  bool in_transaction() const;

  // Whether the last failure left the database as it was before: a full disk, a failed read or
  // write. Anything else is a bug or damage.
  bool failure_passes() const;

  // The last failure was that commits came faster than a reader could find its place among them;
  // the same again may succeed.
  bool was_overtaken() const;

 private:
  friend class SqliteStatement;
  struct Close {
    void operator()(sqlite3* db) const;
  };
  explicit SqliteConnection(const SqliteVfs& vfs) : vfs_(vfs) {}
  Error failure(int code);

  const SqliteVfs& vfs_;
  std::unique_ptr<sqlite3, Close> db_;
  std::uint64_t log_pages_ = 0;
  int last_code_ = 0;
};

}  // namespace muster::store
