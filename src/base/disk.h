// Disk: files, and the one place where blocking work may happen. A component hands over a job
// that reads and writes files; the disk runs it away from the house thread and posts the
// completion back to the executor that was given with it. The real disk runs each lane's jobs in
// order on a thread that main/ made; the simulated one runs them on virtual time, loses what was
// not synced when it crashes, tears writes, fills up and fails on request.
//
//   disk.submit(DiskLane::commit, [&] { outcome = log.append(batch); },
//               house, [&] { acknowledge(outcome); });
//
// Assumes: File and the path operations are called only inside a job (or before the loops run);
// jobs of one lane run in order, jobs of different lanes concurrently. Paths are absolute or
// relative to the working folder, separated by '/'.
// A failed sync leaves the file's contents unknown: the caller must stop using it, never retry.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/result.h"

namespace muster {

// One open file. Errors: insufficient_storage when the disk is full, internal for any other
// failure, with the path in the message.
class File {
 public:
  virtual ~File() = default;

  // Reads up to into.size() bytes; fewer only at the end of the file.
  virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) = 0;

  // Writes all bytes or fails; extends the file where needed.
  virtual Result<> write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;

  // Returns when everything written before is durable, the size included.
  virtual Result<> sync() = 0;

  // These bytes will be synced later: a disk that has time begins with them. Nobody waits, and
  // nothing is known afterwards.
  virtual void begin_sync(std::uint64_t /*offset*/, std::uint64_t /*bytes*/) {}

  virtual Result<> truncate(std::uint64_t size) = 0;
  virtual Result<std::uint64_t> size() = 0;
};

// Held until destroyed; the operating system releases it when the process dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

enum class OpenMode : std::uint8_t {
  read,        // must exist
  read_write,  // must exist
  create,      // made when absent, with mode 0600
  create_new,  // must not exist (already_exists)
};

enum class DiskLane : std::uint8_t {
  commit,      // what somebody waits for
  background,  // checkpoints, backups, compaction, records: in no hurry
  node,        // volumes and logs of pods
};
inline constexpr std::size_t disk_lanes = 3;

class Disk {
 public:
  virtual ~Disk() = default;

  virtual void submit(DiskLane lane, Task job, Executor& then_on, Task then) = 0;

  virtual Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) = 0;
  virtual Result<bool> exists(const std::string& path) = 0;
  virtual Result<> remove(const std::string& path) = 0;  // not_found when absent
  virtual Result<> rename(const std::string& from, const std::string& to) = 0;   // replaces `to`
  virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;  // names, sorted

  // With parents, mode 0700. The new folders are durable when it returns.
  virtual Result<> make_folder(const std::string& path) = 0;

  virtual Result<> sync_folder(const std::string& path) = 0;  // creations, renames, removals

  // Refuses (conflict) while another holder, in this process or another, is alive.
  virtual Result<std::unique_ptr<FileLock>> lock(const std::string& path) = 0;
};

}  // namespace muster
