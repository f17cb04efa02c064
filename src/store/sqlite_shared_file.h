// SharedFile: what the connections of one process to one database share: SQLite's file locks and
// the memory in which a write-ahead log is indexed. Other processes are kept out by Disk::lock, so
// all of it lives on the heap, as in SQLite's own "unix-excl".
//
// Assumes: the numbers of SQLite's locking protocol (levels 0 to 4, eight shared-memory locks).
// Called from the disk's lanes at the same time.
//
//   none ──► shared ──► reserved ──► exclusive      (pending: exclusive wanted, readers leaving)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace muster::store {

// What one handle holds of a SharedFile.
struct SharedFileHolds {
  int level = 0;
  std::uint32_t shared_memory_shared = 0;     // bit per lock
  std::uint32_t shared_memory_exclusive = 0;  // bit per lock
  bool maps_memory = false;
};

class SharedFile {
 public:
  // False: busy, as SQLite calls it.
  bool lock(SharedFileHolds& holds, int level);
  void unlock(SharedFileHolds& holds, int level);
  bool is_reserved();

  bool lock_memory(SharedFileHolds& holds, int first, int count, bool exclusive);
  void unlock_memory(SharedFileHolds& holds, int first, int count);

  // Null when the region does not exist and must not be made.
  void* map_memory(SharedFileHolds& holds, std::size_t region, std::size_t bytes, bool make);

  // Gives everything back; the last one to leave may have the memory forgotten.
  void leave_memory(SharedFileHolds& holds, bool forget);

  // Orders the memory accesses of the two sides.
  void barrier();

 private:
  static constexpr std::size_t memory_locks = 8;
  struct MemoryLock {
    unsigned shared = 0;
    bool exclusive = false;
  };

  std::mutex mutex_;
  unsigned shared_ = 0;  // handles at level shared or above
  const SharedFileHolds* reserved_ = nullptr;
  const SharedFileHolds* pending_ = nullptr;
  std::array<MemoryLock, memory_locks> memory_locks_;
  std::vector<std::unique_ptr<std::byte[]>> regions_;
  unsigned mappers_ = 0;
};

}  // namespace muster::store
