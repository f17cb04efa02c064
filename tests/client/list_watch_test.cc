// SPDX-License-Identifier: Apache-2.0
#include "client/list_watch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/limits.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "simulator/seeded_random.h"
#include "simulator/virtual_time.h"
#include "tests/client/fake_api.h"

namespace muster::client {
namespace {

using objects::Value;
namespace resources = objects::resources;

Value pod(const std::string& name) {
  return objects::parse_json(R"({"metadata":{"namespace":"a","name":")" + name + R"("}})").must();
}

// Writes down what it hears: "list 2", "added p".
class Listener final : public ListWatchSink {
 public:
  void on_list(const objects::Resource& /*resource*/, const Listed& list) override {
    heard.push_back("list " + std::to_string(list.items.size()));
  }
  void on_event(const objects::Resource& /*resource*/, WatchEvent event) override {
    static constexpr std::string_view names[] = {"added ", "modified ", "deleted ", "bookmark "};
    heard.push_back(std::string(names[static_cast<std::size_t>(event.type)]) +
                    std::string(objects::name_of(event.object)));
  }
  void on_trouble(const objects::Resource& /*resource*/, const Error& error) override {
    troubles.push_back(std::string(reason(error.code)));
  }
  std::vector<std::string> heard;
  std::vector<std::string> troubles;
};

class ListWatchTest : public testing::Test {
 protected:
  using Heard = std::vector<std::string>;

  void run() { time.run_for(Span::of_seconds(120)); }

  simulator::VirtualTime time;
  simulator::VirtualExecutor house{time};
  simulator::VirtualClock clock{time};
  simulator::SeededRandom random{1};
  FakeApi api{house, clock};
  Listener listener;
  ListWatch follow{{.resource = resources::pods}, api, {house, clock, random}, listener};
};

TEST_F(ListWatchTest, lists_and_then_hears_every_change_in_order) {
  api.create(resources::pods, pod("p"));
  follow.start();
  run();
  EXPECT_TRUE(follow.has_listed());
  api.create(resources::pods, pod("q"));
  api.remove(resources::pods, {"a", "p"});
  run();
  EXPECT_EQ(listener.heard, (Heard{"list 1", "added q", "deleted p"}));
}

TEST_F(ListWatchTest, a_closed_watch_goes_on_where_it_was) {
  follow.start();
  run();
  api.create(resources::pods, pod("p"));
  run();
  api.close_watches(resources::pods, ErrorCode::unavailable);
  api.create(resources::pods, pod("q"));
  run();
  EXPECT_EQ(listener.heard, (Heard{"list 0", "added p", "added q"}));
  EXPECT_EQ(follow.lists(), 1U);
}

TEST_F(ListWatchTest, an_expired_version_is_listed_anew) {
  follow.start();
  run();
  api.close_watches(resources::pods, ErrorCode::unavailable);
  api.create(resources::pods, pod("p"));
  api.forget_history();
  api.create(resources::pods, pod("q"));
  run();
  EXPECT_EQ(listener.heard, (Heard{"list 0", "list 2"}));
  EXPECT_FALSE(follow.trouble().has_value());
}

TEST_F(ListWatchTest, a_refused_list_is_tried_again_with_growing_spans) {
  int lists = 0;
  api.refuse(ErrorCode::unavailable,
             [&](const Call& call) { return call.verb == Verb::list && ++lists <= 8; });
  follow.start();
  time.run_for(Span::of_milliseconds(40));
  EXPECT_EQ(lists, 1);
  EXPECT_EQ(follow.trouble()->code, ErrorCode::unavailable);
  run();
  EXPECT_EQ(lists, 9);
  EXPECT_TRUE(follow.has_listed());
}

TEST_F(ListWatchTest, a_watch_that_closes_at_once_does_not_spin) {
  follow.start();
  time.run_for(Span::of_milliseconds(1));
  for (int i = 0; i < 1000; ++i) {
    api.close_watches(resources::pods, ErrorCode::unavailable);
    time.run_for(Span::of_microseconds(100));
  }
  EXPECT_LE(time.steps(), 100U);
}

TEST_F(ListWatchTest, a_reason_is_told_once_and_again_after_all_was_well) {
  const auto refuse_lists = [&](int count) {
    api.refuse(ErrorCode::forbidden, [count](const Call& call) mutable {
      return call.verb == Verb::list && count-- > 0;
    });
  };
  refuse_lists(3);
  follow.start();
  run();
  EXPECT_EQ(listener.troubles, (Heard{"Forbidden"}));
  refuse_lists(2);
  follow.refresh([] {});
  run();
  EXPECT_EQ(listener.troubles, (Heard{"Forbidden", "Forbidden"}));
  EXPECT_FALSE(follow.trouble().has_value());
}

TEST_F(ListWatchTest, a_watch_that_ends_is_no_trouble_but_one_that_cannot_begin_is) {
  follow.start();
  run();
  api.close_watches(resources::pods, ErrorCode::unavailable);
  run();
  EXPECT_TRUE(listener.troubles.empty());
  api.close_watches(resources::pods, ErrorCode::unavailable);
  run();
  EXPECT_EQ(listener.troubles, (Heard{"ServiceUnavailable"}));
}

TEST_F(ListWatchTest, a_server_that_is_back_is_found_soon) {
  bool is_away = true;
  api.refuse(ErrorCode::unavailable,
             [&](const Call& call) { return call.verb == Verb::list && is_away; });
  follow.start();
  time.run_for(Span::of_seconds(600));
  is_away = false;
  time.run_for(retry_span_max + retry_span_max);
  EXPECT_TRUE(follow.has_listed());
}

TEST_F(ListWatchTest, a_server_that_is_back_without_its_past_is_listed_at_once) {
  api.refuse(ErrorCode::unavailable, [](const Call& call) { return call.verb == Verb::list; });
  follow.start();
  run();  // the spans have grown long
  api.stop_faults();
  while (!follow.has_listed()) time.run_for(Span::of_milliseconds(1));
  const std::uint64_t before = follow.lists();
  api.close_watches(resources::pods, ErrorCode::unavailable);
  // One long span until it watches again, but no second one until it lists.
  for (Span waited; waited < retry_span_max + retry_span_max && follow.lists() == before;
       waited = waited + Span::of_milliseconds(10)) {
    api.close_watches(resources::pods, ErrorCode::expired);
    time.run_for(Span::of_milliseconds(10));
  }
  EXPECT_EQ(follow.lists(), before + 1);
  for (int i = 0; i < 100; ++i) {  // and not in circles
    api.close_watches(resources::pods, ErrorCode::expired);
    time.run_for(Span::of_milliseconds(1));
  }
  EXPECT_LE(follow.lists(), before + 3);
}

TEST_F(ListWatchTest, a_refresh_answers_after_a_list_that_began_later) {
  follow.start();
  std::vector<std::string> order;
  follow.refresh([&] { order.push_back("refreshed " + std::to_string(listener.heard.size())); });
  run();
  // The list that was under way may be older than the question.
  EXPECT_EQ(order, (Heard{"refreshed 2"}));
  EXPECT_EQ(follow.lists(), 2U);
  api.create(resources::pods, pod("p"));
  run();
  EXPECT_EQ(listener.heard.back(), "added p");
}

TEST_F(ListWatchTest, after_stop_nothing_is_heard) {
  api.create(resources::pods, pod("p"));
  follow.start();
  follow.stop();
  run();
  EXPECT_TRUE(listener.heard.empty());
  EXPECT_EQ(api.watches(), 0U);
}

}  // namespace
}  // namespace muster::client
