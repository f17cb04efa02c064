// The disk against a little journal whose protocol is right, and against two whose protocol is
// wrong: cut the power at every change, let anything survive, and look. The right one must never
// lose what it acknowledged; the wrong ones must be caught, or the simulation proves nothing.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/virtual_disk.h"

namespace muster::simulator {
namespace {

enum class Protocol : std::uint8_t { sound, forgets_sync, forgets_folder };

// A journal of numbers below 256, each in 600 bytes so that it crosses a sector: the number
// repeated. A record counts when all its bytes agree.
constexpr std::size_t record_bytes = 600;

class Journal {
 public:
  Journal(VirtualDisk& disk, Protocol protocol) : disk_(disk), protocol_(protocol) {}

  Result<> open() {
    file_ = TRY(disk_.open("journal", OpenMode::create));
    if (protocol_ != Protocol::forgets_folder) TRY(disk_.sync_folder("."));
    return {};
  }

  Result<> append(std::uint8_t number) {
    const std::vector<std::byte> record(record_bytes, std::byte{number});
    TRY(file_->write_at(records_ * record_bytes, record));
    if (protocol_ != Protocol::forgets_sync) TRY(file_->sync());
    ++records_;
    return {};
  }

 private:
  VirtualDisk& disk_;
  Protocol protocol_;
  std::unique_ptr<File> file_;
  std::size_t records_ = 0;
};

std::set<int> recover(VirtualDisk& disk) {
  std::set<int> found;
  const auto file = disk.open("journal", OpenMode::read);
  if (!file.has_value()) return found;
  std::vector<std::byte> record(record_bytes);
  for (std::uint64_t at = 0;; at += record_bytes) {
    const std::size_t got = file.value()->read_at(at, record).must();
    if (got < record_bytes) return found;
    const std::set<std::byte> distinct(record.begin(), record.end());
    if (distinct.size() == 1) found.insert(std::to_integer<int>(record.front()));
  }
}

struct Outcome {
  std::set<int> acknowledged;
  std::set<int> recovered;
  std::uint64_t operations = 0;
  std::uint64_t fingerprint = 0;
  bool lost() const {
    for (const int number : acknowledged) {
      if (!recovered.contains(number)) return true;
    }
    return false;
  }
};

// k = 0: the power lasts to the end, and fails after it.
Outcome run(Protocol protocol, std::uint64_t seed, std::uint64_t k) {
  VirtualTime time;
  VirtualDisk disk(time, seed);
  disk.power_off_at(k);
  Outcome outcome;
  {
    Journal journal(disk, protocol);
    if (journal.open().has_value()) {
      for (std::uint8_t number = 1; number <= 6; ++number) {
        if (!journal.append(number).has_value()) break;
        outcome.acknowledged.insert(number);
      }
    }
  }
  EXPECT_EQ(disk.powered(), k == 0);
  outcome.operations = disk.operations();
  disk.crash();
  outcome.recovered = recover(disk);
  outcome.fingerprint = disk.fingerprint();
  return outcome;
}

// How many of all cuts lost something.
int losses(Protocol protocol) {
  int lost = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Outcome whole = run(protocol, seed, 0);
    EXPECT_EQ(whole.acknowledged.size(), 6U);
    lost += whole.lost() ? 1 : 0;
    for (std::uint64_t k = 1; k <= whole.operations; ++k) {
      const Outcome cut = run(protocol, seed, k);
      EXPECT_EQ(cut.operations, k) << "nothing happens after the power is gone";
      lost += cut.lost() ? 1 : 0;
    }
  }
  return lost;
}

TEST(CrashEnumeration, a_sound_journal_keeps_what_it_acknowledged) {
  EXPECT_EQ(losses(Protocol::sound), 0);
}

TEST(CrashEnumeration, a_journal_that_forgets_to_sync_is_caught) {
  EXPECT_GT(losses(Protocol::forgets_sync), 0);
}

TEST(CrashEnumeration, a_journal_that_forgets_its_folder_is_caught) {
  EXPECT_GT(losses(Protocol::forgets_folder), 0);
}

TEST(CrashEnumeration, what_was_under_way_may_or_may_not_survive) {
  std::set<std::set<int>> outcomes;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    // create, sync_folder, write 1, sync, write 2: the fifth.
    outcomes.insert(run(Protocol::sound, seed, 5).recovered);
  }
  EXPECT_EQ(outcomes, (std::set<std::set<int>>{{1}, {1, 2}, {0, 1}}))
      << "absent, whole, or there in length only (zeros)";
}

TEST(CrashEnumeration, the_same_seed_leaves_the_same_bytes) {
  std::set<std::uint64_t> fingerprints;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Outcome first = run(Protocol::forgets_sync, seed, 7);
    const Outcome second = run(Protocol::forgets_sync, seed, 7);
    EXPECT_EQ(first.fingerprint, second.fingerprint);
    EXPECT_EQ(first.recovered, second.recovered);
    fingerprints.insert(first.fingerprint);
  }
  EXPECT_GT(fingerprints.size(), 20U) << "and another seed others";
}

}  // namespace
}  // namespace muster::simulator
