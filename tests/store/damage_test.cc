// SPDX-License-Identifier: Apache-2.0
// Bits that flip on the disk, files of other versions and of other programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/sqlite_connection.h"
#include "store/sqlite_schema.h"
#include "store/sqlite_vfs.h"
#include "tests/suites/store_suite_disks.h"

namespace muster::store {
namespace {

using testing::HasSubstr;
using State = std::map<std::string, std::string>;

State state_of(const Store& store) {
  State state;
  const auto page = store.list({}).must();
  for (const Entry& entry : page.entries) state.emplace(entry.key.view(), entry.value.view());
  return state;
}

Result<Revision> put(StoreWorld& world, Store& store, const std::string& key,
                     const std::string& value) {
  std::optional<Result<Revision>> answer;
  store.put_if(key, Bytes::copy_of(value), Expected::any(),
               [&](Result<Revision> r) { answer = std::move(r); });
  EXPECT_TRUE(world.run_until([&] { return answer.has_value(); }));
  return *answer;
}

void close(StoreWorld& world, std::unique_ptr<Store> store) {
  bool closed = false;
  store->close([&] { closed = true; });
  EXPECT_TRUE(world.run_until([&] { return closed; }));
}

// A store whose main file holds everything (closed) or nothing of it (crashed).
State fill(VirtualDiskWorld& world, bool in_main_file) {
  auto store = world.open({}).must();
  for (int i = 0; i < 60; ++i) {
    const auto key = "/key/" + std::to_string(i % 25);
    put(world, *store, key, std::to_string(i) + std::string(static_cast<std::size_t>(i * 40), 'v'))
        .must();
  }
  State state = state_of(*store);
  if (in_main_file) {
    close(world, std::move(store));
  } else {
    world.crash(std::move(store), {simulator::Survival::none, simulator::Survival::none});
  }
  return state;
}

std::uint64_t size_of(VirtualDiskWorld& world, const std::string& path) {
  return world.disk().open(path, OpenMode::read).must()->size().must();
}

constexpr std::size_t log_header_bytes = 32;
constexpr std::size_t frame_bytes = 24 + page_bytes_new;

// Where the frames of the log end: behind them there is room for more, full of zeros.
std::uint64_t end_of_log(VirtualDiskWorld& world, const std::string& path) {
  const auto file = world.disk().open(path, OpenMode::read).must();
  std::vector<std::byte> bytes(file->size().must());
  file->read_at(0, bytes).must();
  while (!bytes.empty() && bytes.back() == std::byte{0}) bytes.pop_back();
  const std::size_t frames = (bytes.size() - log_header_bytes + frame_bytes - 1) / frame_bytes;
  return log_header_bytes + frames * frame_bytes;
}

TEST(StoreDamage, a_flipped_bit_in_the_main_file_is_found_or_harmless) {
  std::mt19937_64 random(7);
  int named = 0;
  for (int i = 0; i < 300; ++i) {
    VirtualDiskWorld world(1);
    const State expected = fill(world, true);
    const std::string path = world.folder() + "/store.db";
    const std::uint64_t offset = random() % size_of(world, path);
    SCOPED_TRACE(testing::Message() << "byte " << offset);
    world.disk().flip_bit(path, offset, static_cast<unsigned>(random() % 8));
    const auto opened = world.open({});
    if (opened) {
      EXPECT_EQ(state_of(**opened), expected);
      EXPECT_EQ((*opened)->revision(), Revision{60});
      continue;
    }
    EXPECT_THAT(opened.error().message, HasSubstr("store.db"));
    EXPECT_THAT(opened.error().message,
                testing::AnyOf(HasSubstr("restore a backup"), HasSubstr("not a store of Muster"),
                               HasSubstr("schema version")));
    if (opened.error().message.find("the record of key \"/key/") != std::string::npos) ++named;
  }
  EXPECT_GT(named, 150) << "most bytes belong to a record, whose key must be named";
}

TEST(StoreDamage, a_flipped_bit_in_the_log_costs_at_most_the_last_commit) {
  std::mt19937_64 random(11);
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    VirtualDiskWorld world(1);
    fill(world, false);
    const std::string path = world.folder() + "/store.db-wal";
    const std::uint64_t offset = random() % end_of_log(world, path);
    SCOPED_TRACE(testing::Message() << "byte " << offset);
    world.disk().flip_bit(path, offset, static_cast<unsigned>(random() % 8));
    const auto opened = world.open({});
    if (opened) {
      EXPECT_GE((*opened)->revision(), Revision{59});
      continue;
    }
    ++refused;
    EXPECT_THAT(opened.error().message, HasSubstr("restore a backup"));
  }
  EXPECT_GT(refused, 150);
}

// A crash cuts off a large commit; frames of older logs show through its holes, so that two of its
// frames look like the ends of commits. They do not follow each other.
TEST(StoreDamage, a_torn_commit_full_of_remains_is_not_taken_for_damage) {
  VirtualDiskWorld world(1);
  const State expected = fill(world, false);
  const std::string path = world.folder() + "/store.db-wal";
  const std::uint64_t end = end_of_log(world, path);
  const auto file = world.disk().open(path, OpenMode::read_write).must();
  std::vector<std::byte> frame(frame_bytes, std::byte{7});
  // The log's own salts.
  file->read_at(log_header_bytes + 8, std::span(frame).subspan(8, 8)).must();
  for (std::uint64_t i = 0; i < 5; ++i) file->write_at(end + i * frame.size(), frame).must();
  file->sync().must();
  const auto opened = world.open({});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(state_of(**opened), expected);
}

TEST(StoreDamage, a_damaged_backup_is_not_restored) {
  VirtualDiskWorld world(1);
  auto store = world.open({}).must();
  put(world, *store, "/a", std::string(5'000, 'v')).must();
  std::optional<Result<Revision>> saved;
  store->backup("/backup", [&](Result<Revision> r) { saved = std::move(r); });
  ASSERT_TRUE(world.run_until([&] { return saved.has_value(); }));
  ASSERT_TRUE(*saved);
  close(world, std::move(store));
  world.disk().flip_bit("/backup", size_of(world, "/backup") - 1'000, 3);
  const auto restored = world.restore("/backup");
  ASSERT_FALSE(restored);
  EXPECT_THAT(restored.error().message, HasSubstr("/backup is damaged"));
}

// The rest is about files that others made, so it happens on a real disk with plain SQLite.
class StoreFiles : public testing::Test {
 protected:
  void sql(const std::string& text) {
    std::filesystem::create_directories(folder_ / "store");
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / "store/store.db").c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  Result<std::unique_ptr<Store>> open() {
    return open_sqlite_store(running_.disk(), house_, folder_ / "store", {});
  }
  void close(std::unique_ptr<Store> store) {
    bool closed = false;
    store->close([&] { closed = true; });
    while (!closed) ASSERT_TRUE(house_.turn(true));
  }

  TemporaryFolder folder_;
  TurnExecutor house_;
  RunningDisk running_;
};

TEST_F(StoreFiles, version_1_is_brought_to_the_present_one) {
  sql("PRAGMA journal_mode=WAL;"
      "CREATE TABLE log(revision INTEGER PRIMARY KEY, key TEXT NOT NULL, value BLOB,"
      " deleted INTEGER NOT NULL);"
      "CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL);"
      "INSERT INTO meta VALUES('compacted', 2);"
      "INSERT INTO log VALUES(1, '/a', x'31', 0), (3, '/b', x'32', 0), (4, '/a', x'33', 0),"
      " (7, '/b', NULL, 1), (8, '/c', x'', 0);"
      "PRAGMA application_id=0x4D555354; PRAGMA user_version=1;");
  for (int i = 0; i < 2; ++i) {
    auto store = open().must();
    EXPECT_EQ(state_of(*store), (State{{"/a", "3"}, {"/c", ""}}));
    EXPECT_EQ(store->revision(), Revision{8});
    const auto past = store->list({.at = {3}}).must();
    ASSERT_EQ(past.entries.size(), 2U);
    EXPECT_EQ(past.entries[0].value.view(), "1");
    close(std::move(store));
  }
}

TEST_F(StoreFiles, a_newer_version_is_refused) {
  close(open().must());
  {
    // As a newer release would leave it, with everything else in order.
    const SqliteVfs vfs(running_.disk());
    const auto newer = SqliteConnection::open(vfs, folder_ / "store/store.db").must();
    newer->run("PRAGMA user_version=3; PRAGMA wal_checkpoint(TRUNCATE)").must();
  }
  const auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::invalid);
  EXPECT_THAT(opened.error().message, HasSubstr("schema version 3, and this program knows"));
}

TEST_F(StoreFiles, a_file_of_another_program_is_refused_and_left_alone) {
  sql("CREATE TABLE log(mine); INSERT INTO log VALUES(1)");
  const auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("is not a store of Muster"));
  sql("INSERT INTO log SELECT mine FROM log");
}

TEST_F(StoreFiles, other_programs_can_read_it_when_it_is_closed_and_not_while_it_is_open) {
  auto store = open().must();
  std::optional<Result<Revision>> written;
  store->put_if("/a", Bytes::copy_of("x"), Expected::any(),
                [&](Result<Revision> r) { written = std::move(r); });
  while (!written.has_value()) ASSERT_TRUE(house_.turn(true));
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open((folder_ / "store/store.db").c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, "SELECT count(*) FROM log", nullptr, nullptr, nullptr), SQLITE_BUSY);
  sqlite3_close(db);
  close(std::move(store));
  sql("SELECT CASE count(*) WHEN 1 THEN 1 ELSE abs(-9223372036854775808) END FROM log");
  EXPECT_EQ(state_of(*open().must()), (State{{"/a", "x"}}));
}

}  // namespace
}  // namespace muster::store
