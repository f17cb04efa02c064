// SystemDisk: the Disk of this machine. Each lane is an event loop that main/ (or a test) runs on
// a thread of its own; nothing here makes threads.
//
//   SystemDisk disk;
//   std::jthread commit([&] { disk.lane(DiskLane::commit).run(); });
//   …
//   disk.lane(DiskLane::commit).stop();
//
// Assumes: Linux, where sync is fdatasync and a folder can be synced; locks are fcntl's of the open
// file (F_OFD_SETLK): they also refuse a second holder in the same process, die with the process,
// and keep programs out that lock as SQLite does. A job that never ran when the disk is destroyed
// is dropped with its completion.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/os/event_loop.h"

namespace muster {

class SystemDisk final : public Disk {
 public:
  EventLoop& lane(DiskLane lane) { return lanes_[static_cast<std::size_t>(lane)]; }

  // Completions for this executor run on the lane where nothing else is to do on either.
  void set_lender(LendingExecutor* lender) { lender_ = lender; }

  void submit(DiskLane lane, Task job, Executor& then_on, Task then) override;

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
  Result<bool> exists(const std::string& path) override;
  Result<> remove(const std::string& path) override;
  Result<> rename(const std::string& from, const std::string& to) override;
  Result<std::vector<std::string>> list(const std::string& folder) override;
  Result<> make_folder(const std::string& path) override;
  Result<> sync_folder(const std::string& path) override;
  Result<std::unique_ptr<FileLock>> lock(const std::string& path) override;

 private:
  std::array<EventLoop, disk_lanes> lanes_;
  LendingExecutor* lender_ = nullptr;  // set before the lanes run
};

}  // namespace muster
