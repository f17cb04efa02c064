// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_shared_file.h"

#include <sqlite3.h>

#include "base/check.h"

namespace muster::store {

namespace {

// The bits first … first + count - 1.
std::uint32_t mask_of(int first, int count) {
  return ((1U << static_cast<unsigned>(count)) - 1U) << static_cast<unsigned>(first);
}

}  // namespace

bool SharedFile::lock(SharedFileHolds& holds, int level) {
  const std::lock_guard guard(mutex_);
  if (holds.level >= level) return true;
  if (level == SQLITE_LOCK_SHARED) {
    if (pending_ != nullptr) return false;
    ++shared_;
    holds.level = level;
    return true;
  }
  CHECK(holds.level >= SQLITE_LOCK_SHARED);
  if (reserved_ != nullptr && reserved_ != &holds) return false;
  if (level == SQLITE_LOCK_RESERVED) {
    reserved_ = &holds;
    holds.level = level;
    return true;
  }
  if (pending_ != nullptr && pending_ != &holds) return false;
  pending_ = &holds;
  const bool alone = shared_ == 1;
  holds.level = alone ? SQLITE_LOCK_EXCLUSIVE : SQLITE_LOCK_PENDING;
  return alone;
}

void SharedFile::unlock(SharedFileHolds& holds, int level) {
  const std::lock_guard guard(mutex_);
  if (holds.level <= level) return;
  if (reserved_ == &holds) reserved_ = nullptr;
  if (pending_ == &holds) pending_ = nullptr;
  if (level == SQLITE_LOCK_NONE) --shared_;
  holds.level = level;
}

bool SharedFile::is_reserved() {
  const std::lock_guard guard(mutex_);
  return reserved_ != nullptr || pending_ != nullptr;
}

bool SharedFile::lock_memory(SharedFileHolds& holds, int first, int count, bool exclusive) {
  const std::lock_guard guard(mutex_);
  const std::uint32_t mask = mask_of(first, count);
  const auto begin = static_cast<std::size_t>(first);
  const auto end = begin + static_cast<std::size_t>(count);
  CHECK(end <= memory_locks);
  if (exclusive) {
    for (std::size_t i = begin; i < end; ++i) {
      if (memory_locks_[i].exclusive || memory_locks_[i].shared > 0) return false;
    }
    for (std::size_t i = begin; i < end; ++i) memory_locks_[i].exclusive = true;
    holds.shared_memory_exclusive |= mask;
    return true;
  }
  if ((holds.shared_memory_shared & mask) == mask) return true;
  for (std::size_t i = begin; i < end; ++i) {
    if (memory_locks_[i].exclusive) return false;
  }
  for (std::size_t i = begin; i < end; ++i) ++memory_locks_[i].shared;
  holds.shared_memory_shared |= mask;
  return true;
}

void SharedFile::unlock_memory(SharedFileHolds& holds, int first, int count) {
  const std::lock_guard guard(mutex_);
  const std::uint32_t mask = mask_of(first, count);
  for (std::size_t i = 0; i < memory_locks; ++i) {
    const std::uint32_t bit = 1U << i;
    if ((mask & bit) == 0) continue;
    if ((holds.shared_memory_exclusive & bit) != 0) memory_locks_[i].exclusive = false;
    if ((holds.shared_memory_shared & bit) != 0) --memory_locks_[i].shared;
  }
  holds.shared_memory_exclusive &= ~mask;
  holds.shared_memory_shared &= ~mask;
}

void* SharedFile::map_memory(SharedFileHolds& holds, std::size_t region, std::size_t bytes,
                             bool make) {
  const std::lock_guard guard(mutex_);
  if (!holds.maps_memory) {
    holds.maps_memory = true;
    ++mappers_;
  }
  while (make && regions_.size() <= region) {
    regions_.push_back(std::make_unique<std::byte[]>(bytes));  // zeroed
  }
  return region < regions_.size() ? regions_[region].get() : nullptr;
}

void SharedFile::leave_memory(SharedFileHolds& holds, bool forget) {
  unlock_memory(holds, 0, memory_locks);
  const std::lock_guard guard(mutex_);
  if (!holds.maps_memory) return;
  holds.maps_memory = false;
  --mappers_;
  if (mappers_ == 0 && forget) regions_.clear();
}

void SharedFile::barrier() {
  const std::lock_guard guard(mutex_);
}

}  // namespace muster::store
