// I13: a checkpoint that save() returned from is there after any loss of power, whole; and there is
// always one. Cut at every change of the disk, let anything unsynced survive, and look.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/trainer/checkpoint.h"
#include "simulator/virtual_disk.h"
#include "simulator/virtual_time.h"

namespace muster::trainer {
namespace {

enum class Protocol : std::uint8_t { sound, forgets_sync, forgets_names };

template <typename T>
T must_work(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().to_string());
  return std::move(result).take();
}
void must_work(const Result<>& result) {
  if (!result) throw std::runtime_error(result.error().to_string());
}

// A folder on the simulated disk, with a protocol that may be wrong.
class VirtualFolder final : public CheckpointFolder {
 public:
  VirtualFolder(Disk& disk, Protocol protocol) : disk_(disk), protocol_(protocol) {}

  void write(const std::string& name, std::string_view bytes) override {
    const auto file = must_work(disk_.open(name, OpenMode::create));
    must_work(file->truncate(0));
    must_work(file->write_at(0, std::as_bytes(std::span(bytes))));
  }
  void sync(const std::string& name) override {
    if (protocol_ == Protocol::forgets_sync) return;
    must_work(must_work(disk_.open(name, OpenMode::read_write))->sync());
  }
  void rename(const std::string& from, const std::string& to) override {
    must_work(disk_.rename(from, to));
  }
  void remove(const std::string& name) override { must_work(disk_.remove(name)); }
  void sync_names() override {
    if (protocol_ != Protocol::forgets_names) must_work(disk_.sync_folder("."));
  }
  std::vector<std::string> names() override { return must_work(disk_.list(".")); }
  std::optional<std::string> read(const std::string& name) override {
    const auto file = disk_.open(name, OpenMode::read);
    if (!file) return std::nullopt;
    std::string bytes(must_work((*file)->size()), '\0');
    must_work((*file)->read_at(0, std::as_writable_bytes(std::span(bytes))));
    return bytes;
  }

 private:
  Disk& disk_;
  Protocol protocol_;
};

constexpr std::size_t parameter_count = 300;  // more than a sector
constexpr std::uint64_t checkpoints = 5;

std::vector<float> parameters_of(std::uint64_t step) {
  return std::vector<float>(parameter_count, static_cast<float>(step));
}

struct Outcome {
  std::uint64_t advertised = 0;  // the last step that save() returned from
  std::uint64_t operations = 0;
  std::optional<Checkpoint> restored;
};

// k = 0: the power lasts to the end, and fails after it.
Outcome run(Protocol protocol, std::uint64_t seed, std::uint64_t k) {
  simulator::VirtualTime time;
  simulator::VirtualDisk disk(time, seed);
  disk.power_off_at(k);
  Outcome outcome;
  VirtualFolder folder(disk, protocol);
  try {
    for (std::uint64_t step = 1; step <= checkpoints; ++step) {
      save(folder, {.step = step, .parameters = parameters_of(step)});
      if (disk.powered()) outcome.advertised = step;
    }
  } catch (const std::runtime_error&) {
  }
  outcome.operations = disk.operations();
  disk.crash();
  disk.power_off_at(0);
  VirtualFolder after(disk, Protocol::sound);
  outcome.restored = newest(after, parameter_count);
  return outcome;
}

bool is_good(const Outcome& outcome) {
  if (!outcome.restored) return outcome.advertised == 0;
  return outcome.restored->step >= outcome.advertised &&
         outcome.restored->parameters == parameters_of(outcome.restored->step);
}

// How many runs went wrong, over all moments and some fates of what was not synced.
int losses(Protocol protocol) {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::uint64_t operations = run(protocol, seed, 0).operations;
    for (std::uint64_t k = 0; k <= operations; ++k) {
      if (!is_good(run(protocol, seed, k))) ++lost;
    }
  }
  return lost;
}

TEST(CheckpointCrash, what_was_saved_is_there_after_any_loss_of_power) {
  EXPECT_EQ(losses(Protocol::sound), 0);
}

TEST(CheckpointCrash, a_wrong_protocol_is_found) {
  EXPECT_GT(losses(Protocol::forgets_sync), 0);
  EXPECT_GT(losses(Protocol::forgets_names), 0);
}

TEST(CheckpointCrash, a_full_disk_costs_nothing_that_was_saved) {
  simulator::VirtualTime time;
  simulator::VirtualDisk disk(time, 1);
  VirtualFolder folder(disk, Protocol::sound);
  save(folder, {.step = 1, .parameters = parameters_of(1)});
  disk.set_capacity(disk.used_bytes() + 100);
  EXPECT_THROW(save(folder, {.step = 2, .parameters = parameters_of(2)}), std::runtime_error);
  EXPECT_EQ(newest(folder, parameter_count)->step, 1U);
  disk.set_capacity(std::nullopt);
  save(folder, {.step = 2, .parameters = parameters_of(2)});
  EXPECT_EQ(newest(folder, parameter_count)->step, 2U);
}

TEST(CheckpointCrash, a_damaged_one_is_passed_over_and_old_ones_go) {
  simulator::VirtualTime time;
  simulator::VirtualDisk disk(time, 1);
  VirtualFolder folder(disk, Protocol::sound);
  for (std::uint64_t step = 1; step <= checkpoints; ++step) {
    save(folder, {.step = step, .parameters = parameters_of(step)});
  }
  EXPECT_EQ(folder.names().size(), checkpoints_kept);
  disk.flip_bit("step-5.checkpoint", 500, 3);
  EXPECT_EQ(newest(folder, parameter_count)->step, 4U);
}

}  // namespace
}  // namespace muster::trainer
