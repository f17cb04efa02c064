// SPDX-License-Identifier: Apache-2.0
// Full disks, failing reads, writes and syncs, on the simulated disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/store/script.h"
#include "tests/suites/store_suite_disks.h"

namespace muster::store {
namespace {

using testing::HasSubstr;

class StoreFaults : public testing::Test {
 protected:
  void open() {
    store_ = world_
                 .open({.limits = {.log_bytes_checkpoint = 60'000},
                        .on_fatal = [this](const Error& e) { fatal_ = e.message; }})
                 .must();
  }
  Result<Revision> put(const std::string& key, const std::string& value) {
    std::optional<Result<Revision>> answer;
    store_->put_if(key, Bytes::copy_of(value), Expected::any(),
                   [&](Result<Revision> r) { answer = std::move(r); });
    EXPECT_TRUE(world_.run_until([&] { return answer.has_value(); }));
    return *answer;
  }
  std::string value(const std::string& key) {
    const auto entry = store_->get(key);
    return entry ? std::string(entry->value.view()) : "none";
  }

  VirtualDiskWorld world_{3};
  std::unique_ptr<Store> store_;
  std::string fatal_;
};

TEST_F(StoreFaults, a_full_disk_refuses_writes_keeps_reading_and_recovers_by_itself) {
  open();
  put("/a", "1").must();
  const auto watch = store_->watch_from({0}, "", [] {}).must();
  world_.disk().set_capacity(world_.disk().used_bytes() + 40'000);
  std::uint64_t accepted = 1;
  Result<Revision> last = Revision{};
  // The log has room for some of them, whatever the disk has.
  for (int i = 0; i < 200 && last; ++i) {
    last = put("/b", std::string(5'000, static_cast<char>('a' + i % 26)));
    if (last) ++accepted;
  }
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, ErrorCode::insufficient_storage);
  EXPECT_THAT(last.error().message, HasSubstr("the disk is full"));
  EXPECT_EQ(value("/a"), "1");
  EXPECT_EQ(store_->list({}).must().entries.size(), 2U);
  EXPECT_EQ(watch->take(100).must().events.size(), accepted);
  EXPECT_FALSE(put("/b", std::string(5'000, 'z')));
  EXPECT_TRUE(fatal_.empty());

  world_.disk().set_capacity(std::nullopt);
  const Revision after = put("/b", "room").must();
  EXPECT_GT(after.value, accepted) << "revisions of failed writes are not used again";
  EXPECT_EQ(watch->take(100).must().events.size(), 1U);
  world_.crash(std::move(store_));
  open();
  EXPECT_EQ(value("/b"), "room");
  EXPECT_EQ(store_->revision(), after);
}

TEST_F(StoreFaults, a_failed_group_takes_everything_accepted_after_it_along) {
  open();
  put("/a", "1").must();
  std::vector<std::string> answers;
  const auto note = [&](std::string name) {
    return [&answers, name = std::move(name)](Result<Revision> r) {
      answers.push_back(name + (r ? " written" : " " + std::string(reason(r.error().code))));
    };
  };
  world_.disk().fail_write(1);
  store_->put_if("/a", Bytes::copy_of("2"), Expected::exactly({1}), note("first"));
  // Let the first one leave for the disk.
  ASSERT_TRUE(world_.run_until([&] { return store_->statistics().outstanding_writes == 1; }));
  for (int i = 0; i < 3; ++i) world_.run_until([n = 0]() mutable { return n++ > 0; });
  store_->put_if("/a", Bytes::copy_of("3"), Expected::exactly({2}), note("decided on the first"));
  store_->put_if("/b", Bytes::copy_of("1"), Expected::absent(), note("later"));
  store_->put_if("/b", Bytes::copy_of("2"), Expected::absent(), note("refused because of later"));
  ASSERT_TRUE(world_.run_until([&] { return answers.size() == 4; }));
  EXPECT_THAT(answers, testing::ElementsAre(
                           "first InternalError", "decided on the first InternalError",
                           "later InternalError", "refused because of later InternalError"));
  EXPECT_EQ(value("/a"), "1");
  EXPECT_EQ(value("/b"), "none");
  EXPECT_TRUE(put("/b", "now"));
  EXPECT_TRUE(fatal_.empty());
}

TEST_F(StoreFaults, a_failed_sync_stops_the_store_for_good) {
  open();
  put("/a", "1").must();
  const auto watch = store_->watch_from({1}, "", [] {}).must();
  world_.disk().fail_sync(1);
  const auto failed = put("/a", "2");
  ASSERT_FALSE(failed);
  ASSERT_TRUE(world_.run_until([&] { return !fatal_.empty(); }));
  const std::uint64_t operations = world_.disk().operations();
  const auto after = put("/b", "1");
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code, ErrorCode::unavailable);
  EXPECT_THAT(after.error().message, HasSubstr("stopped for good"));
  EXPECT_FALSE(watch->take(1));
  EXPECT_EQ(value("/a"), "1") << "what was durable can still be read";
  bool closed = false;
  store_->close([&] { closed = true; });
  EXPECT_TRUE(world_.run_until([&] { return closed; }));
  EXPECT_EQ(world_.disk().operations(), operations) << "never touches the disk again";
}

// Any one failure anywhere in the script: what was answered is there after the next start.
enum class Fault { read, write, sync };

class StoreFaultAnywhere : public testing::TestWithParam<Fault> {};

TEST_P(StoreFaultAnywhere, loses_nothing_acknowledged) {
  for (std::uint64_t nth = 1; nth <= 60; ++nth) {
    SCOPED_TRACE(nth);
    VirtualDiskWorld world(nth);
    bool fatal = false;
    auto store = world
                     .open({.limits = {.log_bytes_checkpoint = 40'000},
                            .on_fatal = [&](const Error&) { fatal = true; }})
                     .must();
    switch (GetParam()) {
      case Fault::read:
        world.disk().fail_read(nth);
        break;
      case Fault::write:
        world.disk().fail_write(nth);
        break;
      case Fault::sync:
        world.disk().fail_sync(nth);
        break;
    }
    Script script(nth % 7);
    script.play(world, *store);
    script.check(*store);
    if (GetParam() != Fault::sync) {
      EXPECT_FALSE(fatal);
    }
    world.crash(std::move(store));
    auto reopened = world.open({});
    if (!reopened) reopened = world.open({});  // the fault had waited until now
    ASSERT_TRUE(reopened) << reopened.error().message;
    script.check(**reopened);
  }
}

INSTANTIATE_TEST_SUITE_P(each, StoreFaultAnywhere,
                         testing::Values(Fault::read, Fault::write, Fault::sync),
                         [](const auto& tested) {
                           return std::string(tested.param == Fault::read    ? "read"
                                              : tested.param == Fault::write ? "write"
                                                                             : "sync");
                         });

}  // namespace
}  // namespace muster::store
