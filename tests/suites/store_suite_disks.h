// The worlds of the durable store: on this machine's disk, in a folder of its own that goes with
// the world, and on a simulated disk that loses at a crash what was not synced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/os/process.h"
#include "base/os/system_disk.h"
#include "simulator/virtual_disk.h"
#include "simulator/virtual_time.h"
#include "store/sqlite_store.h"
#include "tests/suites/store_suite_world.h"

namespace muster::store {

// A SystemDisk whose lanes run.
class RunningDisk {
 public:
  RunningDisk()
      : commit_([this] { disk_.lane(DiskLane::commit).run(); }),
        background_([this] { disk_.lane(DiskLane::background).run(); }) {}
  ~RunningDisk() {
    disk_.lane(DiskLane::commit).stop();
    disk_.lane(DiskLane::background).stop();
  }

  SystemDisk& disk() { return disk_; }

  // Returns when both lanes have done what they were given.
  void drain() {
    for (const DiskLane lane : {DiskLane::commit, DiskLane::background}) {
      std::promise<void> done;
      disk_.lane(lane).post([&] { done.set_value(); });
      done.get_future().wait();
    }
  }

 private:
  SystemDisk disk_;
  std::jthread commit_;
  std::jthread background_;
};

// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<std::uint64_t> number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("muster_store_" + std::to_string(process_id()) + "_" + std::to_string(++number));
    std::filesystem::create_directories(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

class SystemDiskWorld final : public StoreWorld {
 public:
  Executor& house() override { return house_; }
  Result<std::unique_ptr<Store>> open(StoreOptions options) override {
    return open_sqlite_store(running_.disk(), house_, folder_ / present_, std::move(options));
  }
  bool is_durable() const override { return true; }
  bool run_until(const std::function<bool()>& condition) override {
    while (!condition()) {
      if (!house_.turn(true)) return false;
    }
    return true;
  }
  void crash(std::unique_ptr<Store> store) override {
    store.reset();
    running_.drain();
    house_.drop_all();
  }
  std::string backup_path() override { return folder_ / "backup.db"; }
  Result<Revision> restore(const std::string& path) override {
    present_ = "restored";
    return restore_sqlite_store(running_.disk(), path, folder_ / present_);
  }

 private:
  TemporaryFolder folder_;
  std::string present_ = "store";
  TurnExecutor house_;
  RunningDisk running_;
};

class VirtualDiskWorld final : public StoreWorld {
 public:
  explicit VirtualDiskWorld(std::uint64_t seed = 1)
      : time_(seed), house_(time_), disk_(time_, seed) {
    disk_.set_speed({.jitter_max = Span::of_milliseconds(3)});
  }

  Executor& house() override { return house_; }
  simulator::VirtualDisk& disk() { return disk_; }
  const std::string& folder() const { return folder_; }

  Result<std::unique_ptr<Store>> open(StoreOptions options) override {
    return open_sqlite_store(disk_, house_, folder_, std::move(options));
  }
  bool is_durable() const override { return true; }
  bool run_until(const std::function<bool()>& condition) override {
    return time_.run_until([&] { return condition(); });
  }
  void run_until_idle() { time_.run_until_idle(); }
  void crash(std::unique_ptr<Store> store) override { crash(std::move(store), {}); }
  void crash(std::unique_ptr<Store> store, simulator::CrashPolicy policy) {
    store.reset();
    house_.drop_all();
    disk_.crash(policy);
  }
  std::string backup_path() override { return "/backup.db"; }
  Result<Revision> restore(const std::string& path) override {
    folder_ = "/restored";
    return restore_sqlite_store(disk_, path, folder_);
  }

 private:
  simulator::VirtualTime time_;
  simulator::VirtualExecutor house_;
  simulator::VirtualDisk disk_;
  std::string folder_ = "/data/store";
};

}  // namespace muster::store
