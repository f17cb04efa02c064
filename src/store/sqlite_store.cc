// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_store.h"

#include <utility>

#include "store/journal.h"
#include "store/log_store.h"
#include "store/sqlite_database.h"

namespace muster::store {

namespace {

// Runs the database's calls in jobs of the disk, and decides when the log is moved:
//
//   log < limit ──commit──► log ≥ limit ──► checkpoint in the background ──► still ≥ limit?
//        ▲                                                                       │ yes
//        └── the log starts from its front ◄── the next commit moves the rest ◄──┘
class SqliteJournal final : public Journal {
 public:
  SqliteJournal(Disk& disk, Executor& house, std::shared_ptr<SqliteDatabase> database,
                const StoreLimits& limits)
      : disk_(disk),
        house_(house),
        database_(std::move(database)),
        checkpoint_bytes_(limits.log_bytes_checkpoint),
        checkpoint_at_(limits.log_bytes_checkpoint),
        alive_(std::make_shared<bool>(true)) {}

  void commit(std::shared_ptr<const JournalWrite> write,
              UniqueFunction<void(JournalOutcome)> done) override {
    auto outcome = std::make_shared<CommitOutcome>();
    const CheckpointRest rest = std::exchange(rest_, CheckpointRest::no);
    disk_.submit(
        DiskLane::commit,
        [database = database_, write = std::move(write), outcome, rest] {
          *outcome = database->commit(*write, rest);
        },
        house_,
        [this, alive = std::weak_ptr(alive_), outcome, done = std::move(done)]() mutable {
          if (alive.expired()) return;
          bytes_ahead_ = outcome->bytes_ahead;
          if (outcome->journal.result) {
            plan_checkpoint();
          } else {
            // What the failed commit left behind in the log must not stay there for long.
            rest_ = CheckpointRest::yes;
          }
          done(std::move(outcome->journal));
        });
  }

  void backup(const std::string& path, BackupDone done) override {
    auto outcome = std::make_shared<Result<Revision>>(Revision{});
    disk_.submit(
        DiskLane::background,
        [database = database_, path, outcome] { *outcome = database->backup(path); }, house_,
        [alive = std::weak_ptr(alive_), outcome, done = std::move(done)]() mutable {
          if (!alive.expired()) done(std::move(*outcome));
        });
  }

  void on_fatal(UniqueFunction<void(Error)> handler) override { on_fatal_ = std::move(handler); }

  JournalStatistics statistics() const override {
    return {.checkpoints = checkpoints_, .bytes_ahead = bytes_ahead_};
  }

  void close(Task done) override {
    closing_ = true;
    // The background lane first: its connection must be idle when the file is closed.
    disk_.submit(
        DiskLane::background, [] {}, house_,
        [this, alive = std::weak_ptr(alive_), done = std::move(done)]() mutable {
          if (alive.expired()) return;
          disk_.submit(
              DiskLane::commit, [database = std::move(database_)] { database->close(); }, house_,
              std::move(done));
        });
  }

 private:
  void plan_checkpoint() {
    if (bytes_ahead_ < checkpoint_bytes_) {
      checkpoint_at_ = checkpoint_bytes_;
      rest_due_ = false;
    } else if (rest_due_) {
      rest_due_ = false;
      rest_ = CheckpointRest::yes;
    } else if (!checkpointing_ && !closing_ && bytes_ahead_ >= checkpoint_at_) {
      start_checkpoint();
    }
  }

  void start_checkpoint() {
    checkpointing_ = true;
    // When readers or a full disk keep it from success, the next try waits for as much again.
    checkpoint_at_ = bytes_ahead_ + checkpoint_bytes_;
    auto outcome = std::make_shared<CheckpointOutcome>();
    disk_.submit(
        DiskLane::background,
        [database = database_, outcome] { *outcome = database->checkpoint(); }, house_,
        [this, alive = std::weak_ptr(alive_), outcome] {
          if (alive.expired()) return;
          checkpointing_ = false;
          if (outcome->fatal.has_value() && on_fatal_) return on_fatal_(*outcome->fatal);
          if (!outcome->result) return;
          ++checkpoints_;
          rest_due_ = true;
        });
  }

  Disk& disk_;
  Executor& house_;
  std::shared_ptr<SqliteDatabase> database_;  // jobs hold it too
  const std::uint64_t checkpoint_bytes_;
  std::uint64_t checkpoint_at_;
  std::uint64_t bytes_ahead_ = 0;
  std::uint64_t checkpoints_ = 0;
  CheckpointRest rest_ = CheckpointRest::no;
  bool rest_due_ = false;
  bool checkpointing_ = false;
  bool closing_ = false;
  UniqueFunction<void(Error)> on_fatal_;
  std::shared_ptr<bool> alive_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(Disk& disk, Executor& house,
                                                 const std::string& folder, StoreOptions options) {
  std::shared_ptr<SqliteDatabase> database = TRY(SqliteDatabase::open(disk, folder));
  Recovered recovered = TRY(database->load(options.in_parallel));
  auto journal = std::make_unique<SqliteJournal>(disk, house, std::move(database), options.limits);
  return LogStore::create(house, std::move(journal), std::move(recovered), std::move(options));
}

Result<Revision> restore_sqlite_store(Disk& disk, const std::string& backup,
                                      const std::string& folder) {
  return restore_database(disk, backup, folder);
}

}  // namespace muster::store
