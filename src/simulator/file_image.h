// FileImage: one file of a simulated disk, as the process sees it and as the platter has it. A
// change lands in the first and in a list; sync makes the list durable; a crash lets each listed
// change survive, vanish or survive in part, sector by sector, independently of the others: a
// drive and a page cache write back in any order.
//
//   image.write(0, bytes);            // read() sees it, a crash may lose it
//   image.sync();                     // a crash cannot
//   image.crash(Survival::any, random);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/seeded_random.h"

namespace muster::simulator {

// What drives write whole or not at all.
inline constexpr std::uint64_t sector_bytes = 512;

// The fate of what was not synced.
enum class Survival : std::uint8_t {
  none,  // all of it is lost: power failed before the drive began
  all,   // all of it is there: the process died, the machine did not
  any,   // each change is lost, kept, or torn at sector boundaries
};

class FileImage {
 public:
  // The bytes read, fewer than asked for only at the end.
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const;

  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  void truncate(std::uint64_t size);
  std::uint64_t size() const { return present_.size(); }

  void sync();

  // A sync that failed, as Linux does it: some changes reached the drive, the others are taken
  // for clean. They can still be read, but no later sync will write them.
  void fail_sync(SeededRandom& random);

  void crash(Survival survival, SeededRandom& random);

  // Damages what is stored, behind everybody's back.
  void flip_bit(std::uint64_t offset, unsigned bit);

  std::size_t unsynced_changes() const { return unsynced_.size(); }
  std::span<const std::byte> durable() const { return durable_; }

 private:
  using Bytes = std::vector<std::byte>;
  // The bytes of a write stand in the present image, until something else is written there.
  struct Change {
    bool truncates = false;
    std::uint64_t offset = 0;  // of a write, or the new size
    std::uint64_t length = 0;  // of a write
    Bytes kept = {};           // once it is overwritten
    bool is_kept = false;
  };

  std::span<const std::byte> bytes_of(const Change& change) const;
  void keep(std::uint64_t begin, std::uint64_t end);
  void forget_changes();
  void apply(const Change& change, Bytes& image) const;
  void apply_torn(const Change& change, Bytes& image, SeededRandom& random) const;
  void apply_some(const Change& change, Bytes& image, SeededRandom& random) const;

  Bytes present_;
  Bytes durable_;
  std::vector<Change> unsynced_;
  std::uint64_t unsynced_end_ = 0;  // of the write among them that reaches furthest
};

}  // namespace muster::simulator
