// What a durable store promises beyond the contract: restarts, crashes, backups, checkpoints.
// Instantiate StoreDurableSuite with durable worlds only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "tests/suites/store_suite.h"
#include "tests/suites/store_suite_storm.h"

namespace muster::store {

class StoreDurableSuite : public StoreSuite {
 protected:
  void crash_and_open(StoreLimits limits = {}) {
    world_->crash(std::move(store_));
    open(limits);
  }
};

TEST_P(StoreDurableSuite, keeps_state_history_and_revision_through_a_restart) {
  put("/a", "1").must();
  put("/b", std::string(100'000, 'x')).must();
  put("/a", "2").must();
  remove("/b").must();
  for (const bool clean : {true, false}) {
    if (clean) {
      reopen();
    } else {
      crash_and_open();
    }
    EXPECT_EQ(store_->revision(), Revision{4});
    EXPECT_EQ(listed(), "/a=2@3");
    EXPECT_EQ(listed({.at = {1}}), "/a=1@1");
    EXPECT_THAT(watched(*store_->watch_from({2}, "", [] {}).must(), 2),
                ElementsAre("+/a=2@3", "-/b=@4"));
  }
  EXPECT_EQ(put("/c", ""), Revision{5});
  crash_and_open();
  EXPECT_EQ(got("/c"), "@5") << "an empty value is not an absent one";
}

TEST_P(StoreDurableSuite, never_goes_back_after_compacting_the_newest_delete) {
  put("/a", "1").must();
  remove("/a").must();
  ASSERT_TRUE(compact({2}));
  ASSERT_TRUE(world_->run_until([&] { return store_->statistics().rows_to_trim == 0; }));
  for (const bool clean : {true, false}) {
    if (clean) {
      reopen();
    } else {
      crash_and_open();
    }
    EXPECT_EQ(store_->revision(), Revision{2});
    EXPECT_EQ(store_->statistics().compacted, Revision{2});
  }
  EXPECT_EQ(put("/a", "1", Expected::absent()), Revision{3});
}

TEST_P(StoreDurableSuite, trims_what_a_crash_left_of_a_compaction) {
  for (int i = 0; i < 30; ++i) put("/a", std::to_string(i)).must();
  ASSERT_TRUE(compact({25}));
  crash_and_open({.trim_rows_idle_max = 4});
  EXPECT_EQ(store_->statistics().compacted, Revision{25});
  EXPECT_EQ(listed({.at = {25}}), "/a=24@25");
  EXPECT_EQ(listed({.at = {24}}), "Expired");
  ASSERT_TRUE(world_->run_until([&] { return store_->statistics().rows_to_trim == 0; }));
  crash_and_open();
  EXPECT_EQ(store_->statistics().rows_to_trim, 0U);
  EXPECT_EQ(listed(), "/a=29@30");
  EXPECT_EQ(listed({.at = {26}}), "/a=25@26");
}

TEST_P(StoreDurableSuite, refuses_a_second_opener_of_its_folder) {
  const auto second = world_->open({});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_THAT(second.error().message, testing::HasSubstr("in use: another process"));
  EXPECT_TRUE(put("/a", "1")) << "and the first one does not notice";
}

TEST_P(StoreDurableSuite, moves_its_log_into_the_main_file_while_it_is_written) {
  reopen({.log_bytes_checkpoint = 100'000});
  const std::string value(5'000, 'x');
  for (int i = 0; i < 200; ++i) put("/" + std::to_string(i % 20), value).must();
  const auto statistics = store_->statistics();
  EXPECT_GT(statistics.checkpoints, 1U);
  EXPECT_LT(statistics.journal_bytes, 600'000U);
  crash_and_open();
  EXPECT_EQ(store_->list({}).must().entries.size(), 20U);
  EXPECT_EQ(store_->revision(), Revision{200});
}

TEST_P(StoreDurableSuite, a_backup_holds_one_revision_and_its_restored_store_never_repeats_one) {
  for (int i = 0; i < 20; ++i) put("/" + std::to_string(i % 7), std::to_string(i)).must();
  remove("/3").must();
  std::optional<Result<Revision>> saved;
  store_->backup(world_->backup_path(), [&](Result<Revision> r) { saved = std::move(r); });
  int running = 20;
  for (int i = 0; i < 20; ++i) {
    store_->put_if("/late" + std::to_string(i), Bytes::copy_of("x"), Expected::any(),
                   [&](Result<Revision> r) {
                     EXPECT_TRUE(r);
                     --running;
                   });
  }
  ASSERT_TRUE(world_->run_until([&] { return saved.has_value() && running == 0; }));
  const Revision at = std::move(*saved).must();
  EXPECT_GE(at, Revision{21});
  const std::string expected = listed({.at = at});
  const Revision newest = store_->revision();
  EXPECT_EQ(code(backup(world_->backup_path())), ErrorCode::already_exists);
  close();

  const Revision restored = world_->restore(world_->backup_path()).must();
  EXPECT_GT(restored, newest);
  const auto again = world_->restore(world_->backup_path());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::conflict) << "into an empty folder only";
  open();
  EXPECT_EQ(listed(), expected);
  EXPECT_EQ(store_->revision(), restored);
  EXPECT_FALSE(store_->watch_from(newest, "", [] {})) << "what was seen before has expired";
  EXPECT_EQ(put("/new", "1"), Revision{restored.value + 1});
  crash_and_open();
  EXPECT_EQ(got("/new"), "1@" + std::to_string(restored.value + 1));
}

TEST_P(StoreDurableSuite, histories_stay_linearizable_through_crashes) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const StoreLimits limits{.log_bytes_checkpoint = 40'000, .watch_scan_events_max = 5};
    for (const Entry& entry : store_->list({.prefix = "/storm/"}).must().entries) {
      remove(entry.key.view()).must();
    }
    StoreStorm storm(*world_, seed);
    storm.start_after(store_->revision());
    for (int crash = 0; crash < 3; ++crash) {
      storm.run_until_middle(*store_, 60);
      crash_and_open(limits);
    }
    storm.run(*store_, 100);
    storm.check();
  }
}

}  // namespace muster::store
