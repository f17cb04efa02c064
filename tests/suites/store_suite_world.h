// StoreWorld: one implementation of the store with the executor and the disk under it, so that
// one suite runs on all of them. A world can be crashed and opened again.
//
//   auto world = make_memory_world();
//   auto store = world->open({}).must();
//   world->run_until([&] { return answered; });
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>

#include "base/check.h"
#include "base/executor.h"
#include "store/memory_store.h"
#include "store/store.h"
#include "store/store_options.h"

namespace muster::store {

class StoreWorld {
 public:
  virtual ~StoreWorld() = default;

  virtual Executor& house() = 0;

  // Opens the one store of this world, again with what it held if it is durable.
  virtual Result<std::unique_ptr<Store>> open(StoreOptions options) = 0;
  virtual bool is_durable() const = 0;

  // Runs callbacks until the condition holds. False when nothing is left to run.
  virtual bool run_until(const std::function<bool()>& condition) = 0;

  // The store goes without a word; what the world's disk may lose then, it loses.
  virtual void crash(std::unique_ptr<Store> store) = 0;

  // Where a backup may be written, and a store restored from it in place of the present one.
  virtual std::string backup_path() { return "none"; }
  virtual Result<Revision> restore(const std::string& /*path*/) {
    return Error::bad_request("this world restores nothing");
  }
};

using StoreWorldFactory = std::function<std::unique_ptr<StoreWorld>()>;

struct StoreWorldCase {
  std::string name;
  StoreWorldFactory make;
  friend void PrintTo(const StoreWorldCase& c, std::ostream* out) { *out << c.name; }
};

// An executor whose turns the test takes by itself; posts may come from other threads.
class TurnExecutor final : public Executor {
 public:
  void post(Task task) override {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    wake_.notify_one();
  }
  TimerId post_at(MonotonicInstant /*due*/, Task /*task*/) override {
    check_failed("post_at", __FILE__, __LINE__, "the store has no timers");
  }
  void cancel(TimerId /*timer*/) override {}

  void drop_all() {
    std::deque<Task> dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(tasks_);
  }

  // Runs the next task; waits for one from another thread if told to.
  bool turn(bool wait) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      // Long enough for any disk; only a test that would hang for ever runs into it.
      if (wait) wake_.wait_for(lock, std::chrono::seconds(60), [this] { return !tasks_.empty(); });
      if (tasks_.empty()) return false;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
};

class MemoryWorld final : public StoreWorld {
 public:
  Executor& house() override { return house_; }
  Result<std::unique_ptr<Store>> open(StoreOptions options) override {
    return open_memory_store(house_, std::move(options));
  }
  bool is_durable() const override { return false; }
  bool run_until(const std::function<bool()>& condition) override {
    while (!condition()) {
      if (!house_.turn(false)) return false;
    }
    return true;
  }
  void crash(std::unique_ptr<Store> store) override { store.reset(); }

 private:
  TurnExecutor house_;
};

}  // namespace muster::store
