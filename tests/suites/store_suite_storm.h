// A storm of clients on one store: they put, delete and read a few keys at the same time, watchers
// follow, compaction runs in between, and the store may crash and come back. Afterwards every key
// must have a linearizable history, and every watch must have seen each event exactly once.
//
//   StoreStorm storm(*world, seed);
//   storm.run(*store, 300);
//   storm.check();
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/suites/store_suite_history.h"
#include "tests/suites/store_suite_world.h"

namespace muster::store {

class StoreStorm {
 public:
  StoreStorm(StoreWorld& world, std::uint64_t seed) : world_(world), random_(seed) {
    for (std::size_t i = 0; i < key_count; ++i) {
      keys_.push_back("/storm/" + std::string(1, static_cast<char>('a' + i % 2)) + "/" +
                      std::to_string(i));
      histories_.emplace_back(clock_);
    }
    for (const char* prefix : {"", "/storm/a/", "/storm/b/", "/storm/b/3"}) {
      followers_.push_back({.prefix = prefix});
    }
  }

  // For a store that is not new: nobody looks at what was before.
  void start_after(Revision revision) {
    for (Follower& follower : followers_) follower.position = revision;
  }

  // Starts the clients on the store, and returns when this many calls were made and answered.
  void run(Store& store, std::size_t calls) {
    begin(store, calls);
    ASSERT_TRUE(world_.run_until([&] { return calls_left_ == 0 && busy_clients_ == 0; }));
    settle();
  }

  // The same, but returns in the middle, with calls unanswered: then crash the store.
  void run_until_middle(Store& store, std::size_t calls) {
    begin(store, calls * 2);
    ASSERT_TRUE(world_.run_until([&] { return calls_left_ <= calls; }));
    store_ = nullptr;
    for (Follower& follower : followers_) follower.watch.reset();
  }

  void check() {
    for (std::size_t i = 0; i < key_count; ++i) {
      EXPECT_TRUE(is_linearizable(histories_[i])) << keys_[i];
      EXPECT_TRUE(revisions_follow_time(histories_[i].calls())) << keys_[i];
    }
    for (const Follower& follower : followers_) check_follower(follower);
  }

 private:
  static constexpr std::size_t key_count = 6;
  static constexpr std::size_t client_count = 8;

  // What the store said it wrote.
  struct Write {
    std::size_t key = 0;
    bool is_delete = false;
    std::string value;
  };
  struct Follower {
    std::string prefix;
    std::unique_ptr<Watch> watch = {};
    Revision position = {};
    std::vector<std::pair<Revision, Revision>> spans = {};  // watched without a gap: (from, to]
    std::map<Revision, EventPointer> events = {};
  };

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  void begin(Store& store, std::size_t calls) {
    store_ = &store;
    calls_left_ = calls;
    busy_clients_ = client_count;
    for (Follower& follower : followers_) follow(follower);
    for (std::size_t client = 0; client < client_count; ++client) next_call();
  }

  void next_call() {
    if (calls_left_ == 0) {
      --busy_clients_;
      return;
    }
    --calls_left_;
    const std::size_t key = below(key_count);
    const auto choice = below(100);
    if (choice < 25) {
      const auto entry = store_->get(keys_[key]);
      histories_[key].read(entry);
      known_[key] = entry ? entry->revision : Revision{};
      world_.house().post([this, alive = std::weak_ptr(alive_)] {
        if (!alive.expired()) next_call();
      });
    } else if (choice < 28) {
      compact();
    } else {
      write(key, choice < 80);
    }
  }

  void compact() {
    const Revision oldest = store_->statistics().compacted;
    const Revision newest = store_->revision();
    const Revision to{oldest.value + below(newest.value - oldest.value + 1)};
    store_->compact(to, [this](Result<> done) {
      EXPECT_TRUE(done);
      next_call();
    });
  }

  Expected some_condition(std::size_t key) {
    switch (below(4)) {
      case 0:
        return Expected::any();
      case 1:
        return Expected::absent();
      default:
        return known_[key].is_none() ? Expected::any() : Expected::exactly(known_[key]);
    }
  }

  void write(std::size_t key, bool puts) {
    const Expected expected = some_condition(key);
    const std::string value = puts ? "v" + std::to_string(++values_) : "";
    const CallKind kind = puts ? CallKind::put : CallKind::remove;
    const std::size_t call = histories_[key].begin_write(kind, value, expected);
    begun_[value] = key;
    auto done = [this, key, call, puts, value](Result<Revision> answer) {
      histories_[key].end_write(call, answer);
      if (answer) {
        EXPECT_TRUE(written_.emplace(*answer, Write{key, !puts, value}).second) << "given twice";
        known_[key] = puts ? *answer : Revision{};
      }
      next_call();
    };
    if (puts) {
      store_->put_if(keys_[key], Bytes::copy_of(value), expected, std::move(done));
    } else {
      store_->delete_if(keys_[key], expected, std::move(done));
    }
  }

  void follow(Follower& follower) {
    auto watch = store_->watch_from(follower.position, follower.prefix,
                                    [this, &follower] { drain(follower); });
    if (!watch) {
      ASSERT_EQ(watch.error().code, ErrorCode::expired);
      follower.position = store_->revision();
      watch = store_->watch_from(follower.position, follower.prefix,
                                 [this, &follower] { drain(follower); });
    }
    follower.watch = std::move(watch).must();
    follower.spans.emplace_back(follower.position, follower.position);
  }

  void drain(Follower& follower) {
    for (bool more = true; more;) {
      if (below(8) == 0 && store_ != nullptr) return retire_later(follower);
      const auto batch = follower.watch->take(1 + below(4));
      if (!batch) {
        ASSERT_EQ(batch.error().code, ErrorCode::expired);
        return follow(follower);
      }
      for (const EventPointer& event : batch->events) {
        EXPECT_GT(event->revision, follower.position) << "out of order, or twice";
        follower.position = event->revision;
        EXPECT_TRUE(follower.events.emplace(event->revision, event).second) << "twice";
      }
      EXPECT_GE(batch->revision, follower.position);
      follower.position = batch->revision;
      follower.spans.back().second = batch->revision;
      more = batch->more;
    }
  }

  // A lazy reader: it comes back later, through the executor.
  void retire_later(Follower& follower) {
    world_.house().post(
        [this, alive = std::weak_ptr(alive_), &follower, watch = follower.watch.get()] {
          if (alive.expired()) return;
          if (store_ != nullptr && follower.watch.get() == watch) drain(follower);
        });
  }

  // Everybody reads to the end.
  void settle() {
    for (Follower& follower : followers_) {
      ASSERT_TRUE(world_.run_until([&] {
        drain(follower);
        return follower.position >= store_->revision();
      }));
    }
    store_ = nullptr;
    for (Follower& follower : followers_) follower.watch.reset();
  }

  void check_follower(const Follower& follower) {
    for (const auto& [revision, write] : written_) {
      const bool watched = std::any_of(
          follower.spans.begin(), follower.spans.end(),
          [r = revision](const auto& span) { return span.first < r && r <= span.second; });
      const auto seen = follower.events.find(revision);
      if (watched && keys_[write.key].starts_with(follower.prefix)) {
        ASSERT_NE(seen, follower.events.end())
            << "\"" << follower.prefix << "\" missed revision " << revision.value;
      }
      if (seen == follower.events.end()) continue;
      EXPECT_EQ(seen->second->key.view(), keys_[write.key]);
      EXPECT_EQ(seen->second->value.view(), write.value);
      EXPECT_EQ(seen->second->is_delete(), write.is_delete);
    }
    for (const auto& [revision, event] : follower.events) {
      EXPECT_TRUE(event->key.view().starts_with(follower.prefix));
      if (written_.contains(revision) || event->is_delete()) continue;
      // Never answered, because of a crash; but somebody must have asked for it.
      const auto begun = begun_.find(std::string(event->value.view()));
      ASSERT_NE(begun, begun_.end()) << "an event out of nothing";
      EXPECT_EQ(keys_[begun->second], event->key.view());
    }
  }

  StoreWorld& world_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // posted tasks hold it weakly
  std::mt19937_64 random_;
  std::uint64_t clock_ = 0;
  std::vector<std::string> keys_;
  std::vector<KeyHistory> histories_;
  std::vector<Follower> followers_;
  std::map<std::size_t, Revision> known_;  // what a client believes a key's revision to be
  std::map<Revision, Write> written_;
  std::map<std::string, std::size_t> begun_;
  std::uint64_t values_ = 0;
  Store* store_ = nullptr;
  std::size_t calls_left_ = 0;
  std::size_t busy_clients_ = 0;
};

}  // namespace muster::store
