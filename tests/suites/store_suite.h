// The suite of the store's contract, run on every implementation: include it and instantiate
// StoreSuite with the worlds at hand.
//
//   INSTANTIATE_TEST_SUITE_P(memory, StoreSuite, testing::Values(StoreWorldCase{…}));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/suites/store_suite_storm.h"
#include "tests/suites/store_suite_world.h"

namespace muster::store {

class StoreSuite : public testing::TestWithParam<StoreWorldCase> {
 protected:
  void SetUp() override {
    world_ = GetParam().make();
    open();
  }
  void TearDown() override {
    if (store_ != nullptr) close();
  }

  void open(StoreLimits limits = {}) {
    store_ = world_->open({.limits = limits, .on_fatal = {}}).must();
  }
  void close() {
    bool closed = false;
    store_->close([&] { closed = true; });
    ASSERT_TRUE(world_->run_until([&] { return closed; }));
    store_.reset();
  }
  void reopen(StoreLimits limits = {}) {
    close();
    open(limits);
  }

  Result<Revision> put(std::string_view key, std::string_view value,
                       Expected expected = Expected::any()) {
    return wait_write([&](WriteDone done) {
      store_->put_if(key, Bytes::copy_of(value), expected, std::move(done));
    });
  }
  Result<Revision> remove(std::string_view key, Expected expected = Expected::any()) {
    return wait_write([&](WriteDone done) { store_->delete_if(key, expected, std::move(done)); });
  }
  Result<> compact(Revision revision) {
    std::optional<Result<>> answer;
    store_->compact(revision, [&](Result<> r) { answer = std::move(r); });
    EXPECT_TRUE(world_->run_until([&] { return answer.has_value(); }));
    return *answer;
  }
  Result<Revision> backup(const std::string& path) {
    return wait_write([&](WriteDone done) { store_->backup(path, std::move(done)); });
  }

  template <class Start>
  Result<Revision> wait_write(Start start) {
    std::optional<Result<Revision>> answer;
    start([&](Result<Revision> r) { answer = std::move(r); });
    EXPECT_FALSE(answer.has_value()) << "the answer must not come from inside the call";
    EXPECT_TRUE(world_->run_until([&] { return answer.has_value(); }));
    return *answer;
  }

  // "key=value@revision …"
  std::string listed(const ListRequest& request = {}) {
    const auto page = store_->list(request);
    if (!page) return std::string(reason(page.error().code));
    std::string text;
    for (const Entry& entry : page->entries) {
      if (!text.empty()) text += ' ';
      text += std::string(entry.key.view()) + "=" + std::string(entry.value.view()) + "@" +
              std::to_string(entry.revision.value);
    }
    return text;
  }
  std::string got(std::string_view key) {
    const auto entry = store_->get(key);
    if (!entry) return std::string(reason(entry.error().code));
    return std::string(entry->value.view()) + "@" + std::to_string(entry->revision.value);
  }

  static std::string told(const Event& event) {
    return (event.is_delete() ? "-" : "+") + std::string(event.key.view()) + "=" +
           std::string(event.value.view()) + "@" + std::to_string(event.revision.value);
  }

  // Takes events until the count is reached; the text of an error ends it too.
  std::vector<std::string> watched(Watch& watch, std::size_t count) {
    std::vector<std::string> events;
    const bool finished = world_->run_until([&] {
      const auto batch = watch.take(3);
      if (!batch) {
        events.push_back(std::string(reason(batch.error().code)));
        return true;
      }
      for (const auto& event : batch->events) events.push_back(told(*event));
      return events.size() >= count && !batch->more;
    });
    EXPECT_TRUE(finished) << "only " << events.size() << " events came";
    return events;
  }

  static ErrorCode code(const Result<Revision>& result) {
    return result ? ErrorCode::internal : result.error().code;
  }

  std::unique_ptr<StoreWorld> world_;
  std::unique_ptr<Store> store_;
};

using testing::ElementsAre;

TEST_P(StoreSuite, gives_every_write_the_next_revision) {
  EXPECT_EQ(store_->revision(), Revision{0});
  EXPECT_EQ(put("/a", "1"), Revision{1});
  EXPECT_EQ(put("/b", ""), Revision{2});
  EXPECT_EQ(put("/a", "2"), Revision{3});
  EXPECT_EQ(remove("/b"), Revision{4});
  EXPECT_EQ(store_->revision(), Revision{4});
  EXPECT_EQ(got("/a"), "2@3");
  EXPECT_EQ(got("/b"), "NotFound");
  EXPECT_EQ(put("/b", ""), Revision{5});
  EXPECT_EQ(got("/b"), "@5");
}

TEST_P(StoreSuite, refuses_a_write_whose_condition_does_not_hold) {
  const Revision first = put("/a", "1", Expected::absent()).must();
  EXPECT_EQ(code(put("/a", "2", Expected::absent())), ErrorCode::already_exists);
  EXPECT_EQ(code(put("/a", "2", Expected::exactly({99}))), ErrorCode::conflict);
  EXPECT_EQ(code(put("/z", "2", Expected::exactly(first))), ErrorCode::not_found);
  EXPECT_EQ(code(remove("/z")), ErrorCode::not_found);
  EXPECT_EQ(code(remove("/a", Expected::exactly({99}))), ErrorCode::conflict);
  EXPECT_EQ(store_->revision(), first) << "a refusal takes no revision";
  const Revision second = put("/a", "2", Expected::exactly(first)).must();
  EXPECT_EQ(code(remove("/a", Expected::exactly(first))), ErrorCode::conflict);
  EXPECT_TRUE(remove("/a", Expected::exactly(second)));
  EXPECT_EQ(code(put("/a", "3", Expected::exactly(second))), ErrorCode::not_found);
}

TEST_P(StoreSuite, checks_conditions_against_writes_still_in_flight) {
  std::vector<std::string> answers;
  const auto note = [&](std::string name) {
    return [&answers, name = std::move(name)](Result<Revision> r) {
      answers.push_back(name +
                        (r ? std::to_string(r->value) : std::string(reason(r.error().code))));
    };
  };
  const auto value = Bytes::copy_of("v");
  store_->put_if("/a", value, Expected::absent(), note("a"));
  store_->put_if("/a", value, Expected::absent(), note("b"));
  store_->put_if("/a", value, Expected::exactly({1}), note("c"));
  store_->put_if("/a", value, Expected::exactly({1}), note("d"));
  store_->delete_if("/a", Expected::exactly({2}), note("e"));
  store_->delete_if("/a", Expected::any(), note("f"));
  store_->put_if("/a", value, Expected::absent(), note("g"));
  EXPECT_EQ(got("/a"), "NotFound") << "readers see only what is durable";
  ASSERT_TRUE(world_->run_until([&] { return answers.size() == 7; }));
  EXPECT_THAT(answers,
              ElementsAre("a1", "bAlreadyExists", "c2", "dConflict", "e3", "fNotFound", "g4"));
  EXPECT_EQ(got("/a"), "v@4");
}

TEST_P(StoreSuite, answers_a_refusal_only_when_its_reason_can_be_read) {
  std::string seen;
  store_->put_if("/a", Bytes::copy_of("v"), Expected::any(), [](Result<Revision>) {});
  store_->put_if("/a", Bytes::copy_of("w"), Expected::absent(),
                 [&](Result<Revision>) { seen = got("/a"); });
  ASSERT_TRUE(world_->run_until([&] { return !seen.empty(); }));
  EXPECT_EQ(seen, "v@1");
}

TEST_P(StoreSuite, lets_a_callback_write_again) {
  int left = 50;
  std::function<void()> again = [&] {
    store_->put_if("/a", Bytes::copy_of("v"), Expected::any(), [&](Result<Revision> r) {
      ASSERT_TRUE(r);
      if (--left > 0) again();
    });
  };
  again();
  ASSERT_TRUE(world_->run_until([&] { return left == 0; }));
  EXPECT_EQ(store_->revision(), Revision{50});
}

TEST_P(StoreSuite, lists_by_prefix_in_the_order_of_bytes) {
  for (const char* key : {"/b/2", "/a/1", "/b/10", "/b", "/c/1", "/b/\xff"}) put(key, "v").must();
  EXPECT_EQ(listed({.prefix = "/b/"}), "/b/10=v@3 /b/2=v@1 /b/\xff=v@6");
  EXPECT_EQ(listed({.prefix = "/nothing"}), "");
  EXPECT_EQ(store_->list({}).must().entries.size(), 6U);
}

TEST_P(StoreSuite, pages_through_one_revision_while_writes_go_on) {
  for (int i = 0; i < 10; ++i) put("/k/" + std::to_string(i), "v").must();
  auto page = store_->list({.prefix = "/k/", .limit = 4}).must();
  EXPECT_EQ(page.remaining, 6U);
  EXPECT_EQ(page.revision, Revision{10});
  put("/k/5", "new").must();
  remove("/k/6").must();
  put("/k/55", "late").must();
  std::size_t seen = page.entries.size();
  while (page.remaining > 0) {
    const std::string start = std::string(page.entries.back().key.view()) + '\0';
    page = store_->list({.prefix = "/k/", .at = {10}, .limit = 4, .start = start}).must();
    EXPECT_EQ(page.revision, Revision{10});
    for (const Entry& entry : page.entries) EXPECT_EQ(entry.value.view(), "v");
    seen += page.entries.size();
    EXPECT_EQ(page.remaining, 10 - seen);
  }
  EXPECT_EQ(seen, 10U);
}

TEST_P(StoreSuite, lists_the_past_until_it_is_compacted) {
  put("/a", "1").must();  // 1
  put("/b", "1").must();  // 2
  remove("/a").must();    // 3
  put("/a", "2").must();  // 4
  remove("/b").must();    // 5
  remove("/a").must();    // 6
  EXPECT_EQ(listed(), "");
  EXPECT_EQ(listed({.at = {5}}), "/a=2@4");
  EXPECT_EQ(listed({.at = {4}}), "/a=2@4 /b=1@2");
  EXPECT_EQ(listed({.at = {3}}), "/b=1@2");
  EXPECT_EQ(listed({.at = {2}}), "/a=1@1 /b=1@2");
  EXPECT_EQ(listed({.at = {1}}), "/a=1@1");
  EXPECT_EQ(listed({.at = {7}}), "BadRequest");
  ASSERT_TRUE(compact({4}));
  EXPECT_EQ(listed({.at = {3}}), "Expired");
  EXPECT_EQ(listed({.at = {4}}), "/a=2@4 /b=1@2");
  EXPECT_EQ(listed({.at = {5}}), "/a=2@4");
  EXPECT_FALSE(compact({7}));
  EXPECT_TRUE(compact({2})) << "compacting less than before changes nothing";
  EXPECT_EQ(store_->statistics().compacted, Revision{4});
}

TEST_P(StoreSuite, watches_from_the_past_into_the_present) {
  put("/a/1", "x").must();
  put("/b/1", "x").must();
  put("/a/1", "y").must();
  int ready = 0;
  const auto watch = store_->watch_from({1}, "/a/", [&] { ++ready; }).must();
  EXPECT_THAT(watched(*watch, 1), ElementsAre("+/a/1=y@3"));
  EXPECT_TRUE(world_->run_until([&] { return ready == 1; }));
  remove("/a/1").must();
  put("/c", "x").must();
  put("/a/2", "z").must();
  EXPECT_THAT(watched(*watch, 2), ElementsAre("-/a/1=@4", "+/a/2=z@6"));
  EXPECT_GE(ready, 2);
  const auto idle = watch->take(5).must();
  EXPECT_TRUE(idle.events.empty());
  EXPECT_EQ(idle.revision, Revision{6}) << "an idle watch tells how far it is";
}

TEST_P(StoreSuite, events_tell_what_they_replaced) {
  const auto watch = store_->watch_from({0}, "", [] {}).must();
  put("/a", "1").must();
  put("/a", "2").must();
  remove("/a").must();
  put("/a", "3").must();
  std::vector<EventPointer> events;
  ASSERT_TRUE(world_->run_until([&] {
    for (auto& event : watch->take(10).must().events) events.push_back(event);
    return events.size() == 4;
  }));
  EXPECT_TRUE(events[0]->previous_value.is_none());
  EXPECT_EQ(events[1]->previous_value.view(), "1");
  EXPECT_EQ(events[1]->previous_revision, Revision{1});
  EXPECT_TRUE(events[2]->is_delete());
  EXPECT_EQ(events[2]->previous_value.view(), "2");
  EXPECT_EQ(events[2]->previous_revision, Revision{2});
  EXPECT_TRUE(events[3]->previous_revision.is_none());
}

TEST_P(StoreSuite, a_watch_from_the_future_waits_for_it) {
  const auto watch = store_->watch_from({2}, "", [] {}).must();
  for (int i = 0; i < 3; ++i) put("/a", std::to_string(i)).must();
  EXPECT_THAT(watched(*watch, 1), ElementsAre("+/a=2@3"));
}

TEST_P(StoreSuite, a_watch_from_before_compaction_has_expired) {
  for (int i = 0; i < 5; ++i) put("/a", std::to_string(i)).must();
  const auto late = store_->watch_from({1}, "", [] {}).must();
  const auto early = store_->watch_from({5}, "", [] {}).must();
  ASSERT_TRUE(compact({3}));
  const auto refused = store_->watch_from({2}, "", [] {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::expired);
  EXPECT_THAT(watched(*late, 1), ElementsAre("Expired"));
  EXPECT_THAT(watched(*store_->watch_from({3}, "", [] {}).must(), 2),
              ElementsAre("+/a=3@4", "+/a=4@5"));
  put("/a", "x").must();
  EXPECT_THAT(watched(*early, 1), ElementsAre("+/a=x@6")) << "a live watch does not notice";
}

TEST_P(StoreSuite, a_live_watch_keeps_its_events_through_compaction) {
  const auto watch = store_->watch_from({0}, "", [] {}).must();
  EXPECT_TRUE(watch->take(1).must().events.empty());
  put("/a", "1").must();
  remove("/a").must();
  ASSERT_TRUE(compact({2}));
  EXPECT_THAT(watched(*watch, 2), ElementsAre("+/a=1@1", "-/a=@2"));
}

TEST_P(StoreSuite, cuts_off_a_slow_watcher_and_never_the_writer) {
  reopen({.watch_events_buffered_max = 10});
  const auto slow = store_->watch_from(store_->revision(), "/a", [] {}).must();
  const auto quick = store_->watch_from(store_->revision(), "/a", [] {}).must();
  int taken = 0;
  for (int i = 0; i < 12; ++i) {
    put("/a", "v").must();
    taken += static_cast<int>(quick->take(5).must().events.size());
  }
  EXPECT_EQ(taken, 12);
  const auto cut = slow->take(1);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::too_many_requests);
  EXPECT_FALSE(slow->take(1)) << "for good";
  EXPECT_EQ(store_->statistics().watches_cut_off, 1U);
}

TEST_P(StoreSuite, a_watch_may_end_inside_its_own_callback) {
  std::unique_ptr<Watch> watch;
  int calls = 0;
  watch = store_->watch_from({0}, "", [&] { ++calls, watch.reset(); }).must();
  put("/a", "1").must();
  put("/a", "2").must();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(store_->statistics().watches, 0U);
}

TEST_P(StoreSuite, refuses_what_is_over_its_limits) {
  reopen({.key_bytes_max = 8, .value_bytes_max = 8, .outstanding_writes_max = 2});
  EXPECT_EQ(code(put("", "v")), ErrorCode::bad_request);
  EXPECT_EQ(code(put("123456789", "v")), ErrorCode::too_large);
  EXPECT_EQ(code(put("k", "123456789")), ErrorCode::too_large);
  int answered = 0;
  std::vector<bool> fine;
  for (int i = 0; i < 3; ++i) {
    store_->put_if("k", Bytes::copy_of("v"), Expected::any(), [&](Result<Revision> r) {
      ++answered;
      if (!r) {
        EXPECT_EQ(r.error().code, ErrorCode::too_many_requests);
      }
      fine.push_back(r.has_value());
    });
  }
  ASSERT_TRUE(world_->run_until([&] { return answered == 3; }));
  EXPECT_EQ(std::count(fine.begin(), fine.end(), true), 2);
  EXPECT_TRUE(put("k", "v")) << "and takes writes again afterwards";
}

TEST_P(StoreSuite, compacts_by_itself_when_history_grows_too_long) {
  reopen({.history_events_max = 20});
  for (int i = 0; i < 100; ++i) put("/a", std::to_string(i)).must();
  EXPECT_LE(store_->statistics().history_events, 22U);
  EXPECT_GE(store_->statistics().compacted, Revision{70});
  EXPECT_EQ(got("/a"), "99@100");
}

TEST_P(StoreSuite, close_finishes_what_it_accepted) {
  int done = 0;
  for (int i = 0; i < 5; ++i) {
    store_->put_if("/a", Bytes::copy_of("v"), Expected::any(), [&](Result<Revision> r) {
      EXPECT_TRUE(r);
      ++done;
    });
  }
  const auto watch = store_->watch_from({0}, "", [] {}).must();
  bool closed = false;
  store_->close([&] { closed = true; });
  std::optional<Result<Revision>> late;
  store_->put_if("/a", Bytes::copy_of("w"), Expected::any(),
                 [&](Result<Revision> r) { late = std::move(r); });
  ASSERT_TRUE(world_->run_until([&] { return closed && late.has_value(); }));
  EXPECT_EQ(done, 5);
  EXPECT_EQ(code(*late), ErrorCode::unavailable);
  EXPECT_FALSE(watch->take(1));
  store_.reset();
  EXPECT_FALSE(watch->take(1)) << "a watch may outlive its store";
}

TEST_P(StoreSuite, concurrent_clients_see_one_order_and_watchers_see_all_of_it) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    reopen({.watch_scan_events_max = 5});
    StoreStorm storm(*world_, seed);
    if (world_->is_durable()) {
      // The keys of the storm before are still there; a fresh one must not trip over them.
      for (const Entry& entry : store_->list({.prefix = "/storm/"}).must().entries) {
        remove(entry.key.view()).must();
      }
    }
    storm.start_after(store_->revision());
    storm.run(*store_, 400);
    storm.check();
  }
}

}  // namespace muster::store
