// SPDX-License-Identifier: Apache-2.0
#include "store/memory_store.h"

#include <utility>

#include "store/journal.h"
#include "store/log_store.h"

namespace muster::store {

namespace {

// Durable at once, as far as memory goes; the answer still comes later, as the contract says.
class MemoryJournal final : public Journal {
 public:
  explicit MemoryJournal(Executor& house) : house_(house) {}

  void commit(std::shared_ptr<const JournalWrite> /*write*/,
              UniqueFunction<void(JournalOutcome)> done) override {
    house_.post([done = std::move(done)]() mutable { done({}); });
  }

  void backup(const std::string& /*path*/, BackupDone done) override {
    house_.post([done = std::move(done)]() mutable {
      done(Error::bad_request("a store in memory has no backup"));
    });
  }

  void on_fatal(UniqueFunction<void(Error)> /*handler*/) override {}
  JournalStatistics statistics() const override { return {}; }
  void close(Task done) override { house_.post(std::move(done)); }

 private:
  Executor& house_;
};

}  // namespace

std::unique_ptr<Store> open_memory_store(Executor& house, StoreOptions options) {
  return LogStore::create(house, std::make_unique<MemoryJournal>(house), {}, std::move(options))
      .must();
}

}  // namespace muster::store
