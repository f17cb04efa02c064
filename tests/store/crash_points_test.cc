// SPDX-License-Identifier: Apache-2.0
// The power fails at every single change of the disk, with everything unsynced lost, kept, torn
// or reordered, and again while the store recovers from it.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/store/script.h"
#include "tests/suites/store_suite_disks.h"

namespace muster::store {
namespace {

using simulator::CrashPolicy;
using simulator::Survival;

// Small enough that the log is moved, and started anew, several times in a script.
constexpr StoreLimits limits{
    .trim_rows_busy_max = 2, .trim_rows_idle_max = 3, .log_bytes_checkpoint = 40'000};

constexpr CrashPolicy policies[] = {
    {.contents = Survival::any, .names = Survival::any},
    {.contents = Survival::none, .names = Survival::none},
    {.contents = Survival::all, .names = Survival::all},
};

std::uint64_t operations_of_a_whole_run(std::uint64_t seed) {
  VirtualDiskWorld world(seed);
  auto store = world.open({.limits = limits, .on_fatal = {}}).must();
  Script script(seed);
  EXPECT_TRUE(script.play(world, *store));
  bool closed = false;
  store->close([&] { closed = true; });
  EXPECT_TRUE(world.run_until([&] { return closed; }));
  return world.disk().operations();
}

// Opens after a crash and looks at everything; then one more write must get a new revision.
void recover(VirtualDiskWorld& world, const Script& script) {
  auto opened = world.open({.limits = limits, .on_fatal = {}});
  ASSERT_TRUE(opened) << opened.error().message;
  auto store = std::move(opened).take();
  script.check(*store);
  const Revision before = store->revision();
  std::optional<Result<Revision>> written;
  store->put_if("/after", Bytes::copy_of("x"), Expected::absent(),
                [&](Result<Revision> r) { written = std::move(r); });
  ASSERT_TRUE(world.run_until([&] { return written.has_value(); }));
  ASSERT_TRUE(*written) << written->error().message;
  EXPECT_GT(**written, before);
  EXPECT_GT((*written)->value, script.acknowledged());
  // No crash so far away that it could take this back.
  world.crash(std::move(store), {.contents = Survival::none, .names = Survival::none});
  const auto again = world.open({}).must();
  EXPECT_EQ(again->revision(), **written);
  EXPECT_EQ(again->get("/after").must().value.view(), "x");
}

void crash_at(std::uint64_t seed, std::uint64_t operation, CrashPolicy policy,
              std::uint64_t crash_recovery_after) {
  VirtualDiskWorld world(seed);
  world.disk().power_off_at(operation);
  Script script(seed);
  std::unique_ptr<Store> store;
  if (auto opened = world.open({.limits = limits, .on_fatal = {}}); opened) {
    store = std::move(opened).take();
    script.play(world, *store);
    if (world.disk().powered()) {
      store->close([] {});
      world.run_until_idle();
    }
  }
  world.crash(std::move(store), policy);
  if (crash_recovery_after > 0) {
    world.disk().power_off_at(world.disk().operations() + crash_recovery_after);
    auto opened = world.open({.limits = limits, .on_fatal = {}});
    if (opened) world.run_until_idle();
    world.crash(opened ? std::move(opened).take() : nullptr, policy);
  }
  world.disk().power_off_at(0);
  recover(world, script);
}

TEST(StoreCrashPoints, nothing_acknowledged_is_lost_wherever_the_power_fails) {
  std::uint64_t runs = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const std::uint64_t operations = operations_of_a_whole_run(seed);
    for (std::uint64_t operation = 1; operation <= operations; ++operation) {
      for (const CrashPolicy& policy : policies) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << " operation " << operation
                                        << " contents " << static_cast<int>(policy.contents));
        crash_at(seed, operation, policy, 0);
        ++runs;
        if (testing::Test::HasFailure()) return;
      }
    }
  }
  RecordProperty("runs", static_cast<int>(runs));
  EXPECT_GT(runs, 1'000U) << "the script has become too short";
}

TEST(StoreCrashPoints, a_crash_during_recovery_loses_nothing_either) {
  for (std::uint64_t seed = 5; seed <= 6; ++seed) {
    const std::uint64_t operations = operations_of_a_whole_run(seed);
    for (std::uint64_t operation = 1 + seed % 3; operation <= operations; operation += 5) {
      for (std::uint64_t after = 1; after <= 9; after += 2) {
        SCOPED_TRACE(testing::Message()
                     << "seed " << seed << " operation " << operation << " then " << after);
        crash_at(seed, operation, policies[0], after);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

// A canary: a disk that says "synced" and is not makes every answer come too early, which these
// tests must be able to see.
class LyingFile final : public File {
 public:
  explicit LyingFile(std::unique_ptr<File> file) : file_(std::move(file)) {}
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    return file_->read_at(offset, into);
  }
  Result<> write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    return file_->write_at(offset, bytes);
  }
  Result<> sync() override { return {}; }
  Result<> truncate(std::uint64_t size) override { return file_->truncate(size); }
  Result<std::uint64_t> size() override { return file_->size(); }

 private:
  std::unique_ptr<File> file_;
};

class LyingDisk final : public Disk {
 public:
  explicit LyingDisk(Disk& disk) : disk_(disk) {}
  void submit(DiskLane lane, Task job, Executor& then_on, Task then) override {
    disk_.submit(lane, std::move(job), then_on, std::move(then));
  }
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    return std::make_unique<LyingFile>(TRY(disk_.open(path, mode)));
  }
  Result<bool> exists(const std::string& path) override { return disk_.exists(path); }
  Result<> remove(const std::string& path) override { return disk_.remove(path); }
  Result<> rename(const std::string& a, const std::string& b) override {
    return disk_.rename(a, b);
  }
  Result<std::vector<std::string>> list(const std::string& f) override { return disk_.list(f); }
  Result<> make_folder(const std::string& path) override { return disk_.make_folder(path); }
  Result<> sync_folder(const std::string& path) override { return disk_.sync_folder(path); }
  Result<std::unique_ptr<FileLock>> lock(const std::string& path) override {
    return disk_.lock(path);
  }

 private:
  Disk& disk_;
};

TEST(StoreCrashPoints, would_notice_answers_that_come_before_the_sync) {
  VirtualDiskWorld world(1);
  {
    auto opened = world.open({}).must();  // a sound beginning
    opened->close([] {});
    world.run_until_idle();
  }
  LyingDisk lying(world.disk());
  auto store = open_sqlite_store(lying, world.house(), world.folder(), {}).must();
  Script script(1);
  ASSERT_TRUE(script.play(world, *store));
  world.crash(std::move(store), {.contents = Survival::none, .names = Survival::none});
  const auto reopened = world.open({}).must();
  EXPECT_LT(reopened->revision().value, script.acknowledged());
}

}  // namespace
}  // namespace muster::store
