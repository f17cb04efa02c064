// SPDX-License-Identifier: Apache-2.0
// Real threads at once: the house, both lanes of the disk, and clients that post to the house and
// read shared values on their own. Run it under ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/os/event_loop.h"
#include "store/sqlite_store.h"
#include "tests/suites/store_suite_disks.h"

namespace muster::store {
namespace {

constexpr int client_count = 4;
constexpr int increments = 300;

class StoreStress : public testing::Test {
 protected:
  StoreStress() : house_thread_([this] { house_.run(); }) {
    on_house<bool>([this](auto answer) {
      store_ = open_sqlite_store(running_.disk(), house_, folder_ / "store",
                                 {.limits = {.log_bytes_checkpoint = 100'000}, .on_fatal = {}})
                   .must();
      answer(true);
    });
  }
  ~StoreStress() override {
    on_house<bool>([this](auto answer) {
      store_->close([this, answer]() mutable {
        house_.post([this, answer]() mutable {
          store_.reset();
          answer(true);
        });
      });
    });
    house_.stop();
  }

  // Runs on the house's thread and waits for the answer on this one.
  template <class T, class Ask>
  T on_house(Ask ask) {
    auto promise = std::make_shared<std::promise<T>>();
    auto future = promise->get_future();
    house_.post([promise, ask = std::move(ask)]() mutable {
      ask([promise](T value) { promise->set_value(std::move(value)); });
    });
    return future.get();
  }

  Result<Entry> get(const std::string& key) {
    return on_house<Result<Entry>>([&](auto answer) { answer(store_->get(key)); });
  }
  Result<Revision> put(const std::string& key, const std::string& value, Expected expected) {
    return on_house<Result<Revision>>([&](auto answer) {
      store_->put_if(key, Bytes::copy_of(value), expected,
                     [answer](Result<Revision> r) mutable { answer(std::move(r)); });
    });
  }

  // One more, whatever the others do meanwhile. The value is read on this thread.
  void increment(const std::string& key) {
    while (true) {
      const auto entry = get(key);
      const int now = entry ? std::stoi(std::string(entry->value.view())) : 0;
      const Expected expected = entry ? Expected::exactly(entry->revision) : Expected::absent();
      if (put(key, std::to_string(now + 1) + std::string(500, ' '), expected)) return;
    }
  }

  TemporaryFolder folder_;
  RunningDisk running_;
  EventLoop house_;
  std::jthread house_thread_;
  std::unique_ptr<Store> store_;
};

// Follows everything on the house's thread and hands the events to a reader's.
struct Follower {
  std::unique_ptr<Watch> watch;
  std::promise<void> finished;
  std::vector<EventPointer> events;
};

TEST_F(StoreStress, clients_on_many_threads_lose_no_increment) {
  Follower follower;
  on_house<bool>([&](auto answer) {
    follower.watch = store_
                         ->watch_from({0}, "/",
                                      [&] {
                                        auto batch = follower.watch->take(1'000'000).must();
                                        for (auto& event : batch.events) {
                                          if (event->key.view() == "/end")
                                            follower.finished.set_value();
                                          follower.events.push_back(std::move(event));
                                        }
                                      })
                         .must();
    answer(true);
  });
  std::atomic<bool> done = false;
  {
    std::vector<std::jthread> clients;
    for (int c = 0; c < client_count; ++c) {
      clients.emplace_back([&, c] {
        for (int i = 0; i < increments; ++i)
          increment(i % 3 == 0 ? "/shared" : "/own" + std::to_string(c));
      });
    }
    std::jthread keeper([&] {
      for (int backup = 0; !done; ++backup) {
        on_house<Result<>>([&](auto answer) {
          store_->compact(Revision{store_->revision().value / 2},
                          [answer](Result<> r) mutable { answer(std::move(r)); });
        }).must();
        const auto saved = on_house<Result<Revision>>([&](auto answer) {
          store_->backup(folder_ / ("backup" + std::to_string(backup)),
                         [answer](Result<Revision> r) mutable { answer(std::move(r)); });
        });
        EXPECT_TRUE(saved) << saved.error().message;
      }
    });
    clients.clear();  // joins them
    done = true;
  }
  put("/end", "", Expected::absent()).must();
  follower.finished.get_future().wait();
  on_house<bool>([&](auto answer) {
    follower.watch.reset();
    answer(true);
  });

  EXPECT_EQ(std::stoi(std::string(get("/shared").must().value.view())),
            client_count * increments / 3);
  for (int c = 0; c < client_count; ++c) {
    EXPECT_EQ(std::stoi(std::string(get("/own" + std::to_string(c)).must().value.view())),
              increments - increments / 3);
  }
  ASSERT_EQ(follower.events.size(), static_cast<std::size_t>(client_count * increments + 1));
  for (std::size_t i = 0; i < follower.events.size(); ++i) {
    EXPECT_EQ(follower.events[i]->revision.value, i + 1);
  }
}

// Each piece on a thread of its own.
void each_on_a_thread(std::size_t count, const Piece& piece) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&piece, i] { piece(i); });
}

TEST_F(StoreStress, a_log_that_threads_read_together_is_the_same) {
  constexpr int keys = 500;
  for (int i = 0; i < 2 * keys; ++i) {
    put("/k" + std::to_string(i % keys), std::to_string(i), Expected::any()).must();
  }
  on_house<bool>([this](auto answer) {
    store_->close([this, answer]() mutable {
      house_.post([this, answer]() mutable {
        store_ = open_sqlite_store(running_.disk(), house_, folder_ / "store",
                                   {.in_parallel = each_on_a_thread})
                     .must();
        answer(true);
      });
    });
  });
  for (int i = 0; i < keys; ++i) {
    const Entry entry = get("/k" + std::to_string(i)).must();
    EXPECT_EQ(entry.value.view(), std::to_string(keys + i));
    EXPECT_EQ(entry.revision.value, static_cast<std::uint64_t>(keys + i + 1));
  }
}

}  // namespace
}  // namespace muster::store
