// VirtualDisk: the Disk of a simulation. Files live in memory; what was not synced may be lost,
// torn or reordered by a crash; the disk fills up, fails and rots on request; jobs take virtual
// time. Everything is drawn from the seed, so a run repeats byte for byte.
//
//   VirtualDisk disk(time, seed);
//   disk.power_off_at(k);               // the k-th change is the last one, and may be half done
//   …                                   // run the component; from then on it sees errors only
//   component.reset();  house.drop_all();
//   disk.crash({});                     // decides what survived, switches the power on again
//
// To try every write boundary, count the operations of a whole run with operations() and repeat
// it with k = 1, 2, … up to that count.
//
// Assumes: one thread; the disk outlives its files and locks. A job happens at the instant its
// lane is free, its completion when its virtual time has passed; jobs of the two lanes overlap in
// time but do not interleave. Outside a job, operations cost no time (opening).
//
//          power_off(), power_off_at(k)
//   on ────────────────────────────────► off: every operation fails, nothing changes
//    ▲                                    │
//    └───────────── crash(policy) ────────┘   (also from on: old handles and locks are dead)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/disk.h"
#include "simulator/folder_tree.h"
#include "simulator/virtual_time.h"

namespace muster::simulator {

// What became of everything that was not synced. {all, all} is the death of a process on a
// machine that lives on; {none, none} the meanest drive; the default anything in between.
struct CrashPolicy {
  Survival contents = Survival::any;
  Survival names = Survival::any;  // creations, renames, removals
};

// How long a job takes: the sum over its operations.
struct DiskSpeed {
  Span per_operation = Span::of_microseconds(20);
  Span per_sync = Span::of_milliseconds(1);
  Span per_mebibyte = Span::of_milliseconds(1);  // read or written
  Span jitter_max = {};                          // added to each job, drawn evenly
};

// One change, as the hook sees it before it happens.
struct DiskOperation {
  enum class Kind : std::uint8_t {
    write,
    truncate,
    sync,
    create,
    remove,
    rename,
    make_folder,
    sync_folder
  };
  std::uint64_t number = 0;  // 1 for the first
  Kind kind = Kind::write;
  std::string_view path;
};

class VirtualDisk final : public Disk {
 public:
  // Memory is no place for larger ones; the real limit is beyond any disk.
  static constexpr std::uint64_t file_bytes_max = std::uint64_t{4} << 30;

  VirtualDisk(VirtualTime& time, std::uint64_t seed);

  void submit(DiskLane lane, Task job, Executor& then_on, Task then) override;
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
  Result<bool> exists(const std::string& path) override;
  Result<> remove(const std::string& path) override;
  Result<> rename(const std::string& from, const std::string& to) override;
  Result<std::vector<std::string>> list(const std::string& folder) override;
  Result<> make_folder(const std::string& path) override;
  Result<> sync_folder(const std::string& path) override;
  Result<std::unique_ptr<FileLock>> lock(const std::string& path) override;

  // The end of the process that used this disk: handles and locks die, jobs that wait vanish with
  // their completions, the policy decides about the rest. Not inside a job.
  void crash(CrashPolicy policy = {});

  // The operation under way, if any, is the last one; like everything unsynced it may or may not
  // survive. Also from the hook.
  void power_off() { powered_ = false; }
  void power_off_at(std::uint64_t operation) { power_off_at_ = operation; }
  bool powered() const { return powered_; }

  // Changes so far (the kinds of DiskOperation); never starts again at zero.
  std::uint64_t operations() const { return operations_; }
  void set_hook(UniqueFunction<void(const DiskOperation&)> hook) { hook_ = std::move(hook); }

  // Files may grow to this many bytes together; a write beyond it lands as far as there is room
  // and fails with insufficient_storage. May be raised again.
  void set_capacity(std::optional<std::uint64_t> bytes) { capacity_bytes_ = bytes; }
  std::uint64_t used_bytes() const { return tree_.bytes(); }

  // The n-th from now (1 is the next) fails as a broken drive does. A write then lands in part; a
  // sync loses changes that no later sync will bring back.
  void fail_read(std::uint64_t n) { failing_reads_.insert(reads_ + n); }
  void fail_write(std::uint64_t n) { failing_writes_.insert(writes_ + n); }
  void fail_sync(std::uint64_t n) { failing_syncs_.insert(syncs_ + n); }

  // Rot: one bit, or one bit drawn from a range. The file must exist and be that long.
  void flip_bit(const std::string& path, std::uint64_t offset, unsigned bit);
  void damage(const std::string& path, std::uint64_t offset, std::uint64_t length);

  void set_speed(DiskSpeed speed) { speed_ = speed; }

  // Equal for two runs that left the same bytes on the drive.
  std::uint64_t fingerprint() const { return tree_.fingerprint(); }

 private:
  friend class VirtualFile;
  friend class VirtualFileLock;

  struct Job {
    Task work;
    Executor* then_on = nullptr;
    Task then;
  };
  struct Lane {
    explicit Lane(VirtualTime& time) : executor(time) {}
    VirtualExecutor executor;
    std::deque<Job> jobs;
    bool busy = false;
  };
  using Kind = DiskOperation::Kind;

  void start_next(Lane& lane);
  void run_front(Lane& lane);

  // Before a change: fails when there is no power; else counts it and asks the hook. The answer
  // is whether the power lasts, so that the change may be reported as done.
  Result<bool> begin(Kind kind, std::string_view path);
  Result<> finish(bool lasts, std::string_view path) const;
  Result<> require_power(std::string_view path) const;
  void spend(Span span);
  void spend_bytes(std::uint64_t bytes);

  Result<> write(NodeId node, const std::string& path, std::uint64_t offset,
                 std::span<const std::byte> bytes);
  Result<> sync(NodeId node, const std::string& path);
  std::uint64_t room_for(const FileImage& image, std::uint64_t offset, std::uint64_t length) const;
  Result<NodeId> open_node(const std::string& path, OpenMode mode);

  VirtualTime& time_;
  SeededRandom random_;
  FolderTree tree_;
  DiskSpeed speed_;
  std::optional<Span> job_span_;  // of the job that runs now

  std::uint64_t epoch_ = 1;  // handles and locks of an earlier one are dead
  std::set<NodeId> locked_;
  bool powered_ = true;
  std::uint64_t power_off_at_ = 0;  // 0: never
  std::uint64_t operations_ = 0;
  UniqueFunction<void(const DiskOperation&)> hook_;

  std::optional<std::uint64_t> capacity_bytes_;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t syncs_ = 0;
  std::set<std::uint64_t> failing_reads_;
  std::set<std::uint64_t> failing_writes_;
  std::set<std::uint64_t> failing_syncs_;
  // Last: jobs that are left hold locks, which know the rest.
  std::array<Lane, disk_lanes> lanes_;
};

}  // namespace muster::simulator
