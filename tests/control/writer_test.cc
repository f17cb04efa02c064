// SPDX-License-Identifier: Apache-2.0
#include "control/writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/captured_log.h"
#include "control/key_loop.h"
#include "control/limits.h"
#include "objects/edit.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "simulator/seeded_random.h"
#include "simulator/virtual_time.h"
#include "tests/client/fake_api.h"

namespace muster::control {
namespace {

using client::Call;
using core::Edit;
using objects::Value;
namespace resources = objects::resources;

Value pod(const std::string& name) {
  return objects::parse_json(R"({"metadata":{"namespace":"a","name":")" + name + R"("},"spec":{}})")
      .must();
}

Edit alongside(Edit edit) {
  edit.alongside = true;
  return edit;
}

Edit note(const Value& about, const std::string& reason) {
  return Edit::record({.resource = resources::pods,
                       .about = about,
                       .reason = reason,
                       .message = "m",
                       .component = "test"});
}

class WriterTest : public testing::Test {
 protected:
  WriterTest() {
    cache.start();
    run();
  }

  void run() { time.run_for(Span::of_seconds(60)); }

  void submit(std::vector<Edit> edits) {
    writer.submit(std::move(edits), [this](const WriteOutcome& outcome) {
      outcomes.push_back(outcome.done() ? "done" : std::string(reason(outcome.refused->code)));
    });
  }

  std::size_t events_with(const std::string& wanted) const {
    std::size_t count = 0;
    for (const Value& event : api.all(resources::events)) {
      if (event["reason"].string_or("") == wanted) ++count;
    }
    return count;
  }

  simulator::VirtualTime time;
  simulator::VirtualExecutor executor{time};
  simulator::VirtualClock clock{time};
  simulator::SeededRandom random{1};
  client::House house{executor, clock, random};
  client::FakeApi api{executor, clock};
  client::ObjectCache cache{api, house, {{resources::pods}}};
  EventRecorder events{api, house};
  MetricRegistry metrics;
  CapturedLog lines;
  Writer writer{api, cache, events, metrics, Log(lines, clock, {})};
  std::vector<std::string> outcomes;
};

using Outcomes = std::vector<std::string>;

TEST_F(WriterTest, what_the_server_does_not_know_is_gone_before_the_watch_says_so) {
  const Value made = api.create(resources::pods, pod("p"));
  run();
  ASSERT_EQ(cache.size(resources::pods), 1U);
  api.set_watch_delay(Span::of_seconds(30));
  api.remove(resources::pods, {"a", "p"});
  submit({Edit::update(resources::pods, made)});
  time.run_for(Span::of_seconds(1));
  EXPECT_EQ(outcomes, Outcomes{std::string(reason(ErrorCode::not_found))});
  EXPECT_EQ(cache.size(resources::pods), 0U);
  run();
  EXPECT_EQ(cache.size(resources::pods), 0U);
}

TEST_F(WriterTest, edits_of_a_list_are_sent_one_after_the_other) {
  api.set_answer_delay(Span::of_seconds(1));
  submit({Edit::create(resources::pods, pod("p")), Edit::create(resources::pods, pod("q"))});
  time.run_for(Span::of_milliseconds(500));
  EXPECT_EQ(api.all(resources::pods).size(), 1U);
  run();
  EXPECT_EQ(api.all(resources::pods).size(), 2U);
  EXPECT_EQ(outcomes, (Outcomes{"done"}));
  EXPECT_TRUE(writer.is_idle());
}

TEST_F(WriterTest, edits_that_may_go_alongside_do_not_wait) {
  api.set_answer_delay(Span::of_seconds(1));
  submit({Edit::create(resources::pods, pod("p")),
          alongside(Edit::create(resources::pods, pod("q"))),
          Edit::create(resources::pods, pod("r"))});
  time.run_for(Span::of_milliseconds(500));
  EXPECT_EQ(api.all(resources::pods).size(), 2U);
  run();
  EXPECT_EQ(api.all(resources::pods).size(), 3U);
}

TEST_F(WriterTest, the_rest_of_a_list_is_dropped_at_the_first_refusal) {
  const Value old = api.create(resources::pods, pod("p"));
  api.replace(resources::pods,
              objects::with(old, {"metadata", "labels", "l"}, Value::string("x")).must());
  submit({Edit::update(resources::pods, old), note(old, "Never"),
          Edit::create(resources::pods, pod("q"))});
  submit({Edit::create(resources::pods, pod("r"))});
  run();
  EXPECT_EQ(outcomes, (Outcomes{"Conflict", "done"}));
  EXPECT_FALSE(api.find(resources::pods, {"a", "q"}));
  EXPECT_TRUE(api.find(resources::pods, {"a", "r"}));
  EXPECT_EQ(events_with("Never"), 0U);
  EXPECT_EQ(writer.counts().refused, 1U);
}

TEST_F(WriterTest, a_refusal_is_in_the_log_unless_somebody_else_was_faster) {
  api.create(resources::pods, pod("p"));
  submit({Edit::create(resources::pods, pod("p"))});
  run();
  EXPECT_EQ(outcomes, (Outcomes{"AlreadyExists"}));
  EXPECT_TRUE(lines.lines().empty());
  api.refuse(ErrorCode::forbidden,
             [](const Call& call) { return call.verb == client::Verb::create; });
  submit({Edit::create(resources::pods, pod("q"))});
  run();
  ASSERT_EQ(lines.lines().size(), 1U);
  EXPECT_NE(lines.lines()[0].find("create resource=pods object=a/q"), std::string::npos)
      << lines.lines()[0];
}

TEST_F(WriterTest, an_answer_is_in_the_cache_before_anybody_hears_of_it) {
  api.set_watch_delay(Span::of_seconds(30));
  bool was_known = false;
  writer.submit({Edit::create(resources::pods, pod("p"))}, [&](const WriteOutcome& outcome) {
    EXPECT_TRUE(outcome.done());
    was_known = !cache.find(resources::pods, {"a", "p"}).is_absent();
  });
  run();
  EXPECT_TRUE(was_known);
}

TEST_F(WriterTest, no_more_than_the_maximum_is_under_way) {
  api.set_answer_delay(Span::of_seconds(1));
  for (std::size_t i = 0; i < writes_outstanding_max + 10; ++i) {
    submit({Edit::create(resources::pods, pod("p" + std::to_string(i)))});
  }
  time.run_for(Span::of_milliseconds(500));
  EXPECT_EQ(api.all(resources::pods).size(), writes_outstanding_max);
  run();
  EXPECT_EQ(outcomes.size(), writes_outstanding_max + 10);
}

TEST_F(WriterTest, every_verb_reaches_the_api) {
  const Value made = api.create(resources::pods, pod("p"));
  submit({Edit::update_status(
      resources::pods, objects::with(made, {"status", "phase"}, Value::string("Running")).must())});
  run();
  EXPECT_EQ(api.find(resources::pods, {"a", "p"})["status"]["phase"].string_or(""), "Running");
  submit({Edit::bind(resources::pods, objects::parse_json(R"({"metadata":{"namespace":"a",
      "name":"p"},"target":{"name":"n1"}})")
                                          .must())});
  run();
  EXPECT_EQ(api.find(resources::pods, {"a", "p"})["spec"]["nodeName"].string_or(""), "n1");
  submit({Edit::remove(resources::pods, made, 0)});
  run();
  EXPECT_FALSE(api.find(resources::pods, {"a", "p"}));
  EXPECT_EQ(outcomes, (Outcomes{"done", "done", "done"}));
}

TEST_F(WriterTest, the_same_note_again_raises_the_count_of_its_event) {
  const Value about = api.create(resources::pods, pod("p"));
  for (int i = 0; i < 3; ++i) submit({note(about, "Again")});
  submit({note(about, "Other")});
  run();
  EXPECT_EQ(events_with("Again"), 1U);
  EXPECT_EQ(events_with("Other"), 1U);
  for (const Value& event : api.all(resources::events)) {
    const bool is_again = event["reason"].string_or("") == "Again";
    EXPECT_EQ(event["count"].integer_or(0), is_again ? 3 : 1);
    EXPECT_EQ(event["involvedObject"]["kind"].string_or(""), "Pod");
    EXPECT_TRUE(objects::name_of(event).starts_with("p."));
  }
}

TEST_F(WriterTest, an_object_that_says_too_much_is_not_listened_to) {
  const Value about = api.create(resources::pods, pod("p"));
  for (int i = 0; i < 100; ++i) submit({note(about, "Reason" + std::to_string(i))});
  run();
  EXPECT_EQ(api.all(resources::events).size(), static_cast<std::size_t>(event_burst_max));
  EXPECT_EQ(events.dropped(), 100U - static_cast<std::size_t>(event_burst_max));
  time.run_for(event_refill_span);
  submit({note(about, "Later")});
  run();
  EXPECT_EQ(events_with("Later"), 1U);
}

TEST_F(WriterTest, events_that_are_refused_hold_nothing_up) {
  api.refuse(ErrorCode::unavailable,
             [](const Call& call) { return call.resource == resources::events; });
  submit({Edit::create(resources::pods, pod("p")), note(pod("p"), "Lost"),
          Edit::create(resources::pods, pod("q"))});
  run();
  EXPECT_EQ(outcomes, (Outcomes{"done"}));
  EXPECT_EQ(events.dropped(), 1U);
}

// A body that wants one pod for each key, and does nothing once it is there.
class KeyLoopTest : public WriterTest {
 protected:
  KeyLoopTest() { loop.start(); }

  Subject key(const std::string& name) const { return {resources::pods, {"a", name}, {}}; }

  KeyLoop loop{house, cache, writer, [this](const Subject& subject) {
                 ++looks;
                 if (cache.find(resources::pods, subject.key)) return Step{};
                 return Step{.edits = {Edit::create(resources::pods, pod(subject.key.name))}};
               }};
  int looks = 0;
};

TEST_F(KeyLoopTest, a_subject_is_not_looked_at_while_its_writes_are_under_way) {
  api.set_answer_delay(Span::of_seconds(1));
  loop.mark(key("p"));
  time.run_for(Span::of_milliseconds(100));
  loop.mark(key("p"));
  loop.mark(key("p"));
  time.run_for(Span::of_milliseconds(100));
  EXPECT_EQ(looks, 1);
  EXPECT_FALSE(loop.is_idle());
  run();
  EXPECT_EQ(looks, 2);
  EXPECT_TRUE(loop.is_idle());
  EXPECT_EQ(api.calls(client::Verb::create, resources::pods), 1U);
}

// As a loop does that marks all of a kind from within its body.
TEST_F(KeyLoopTest, a_body_may_mark_its_own_subject) {
  int looked = 0;
  KeyLoop own{house, cache, writer, [&](const Subject& subject) {
                if (++looked < 3) own.mark(subject);
                if (cache.find(resources::pods, subject.key)) return Step{};
                return Step{.edits = {Edit::create(resources::pods, pod(subject.key.name))}};
              }};
  own.start();
  api.set_answer_delay(Span::of_seconds(1));
  own.mark(key("p"));
  time.run_for(Span::of_milliseconds(100));
  EXPECT_EQ(looked, 1);  // its write is under way
  run();
  EXPECT_EQ(looked, 3);
  EXPECT_TRUE(own.is_idle());
  EXPECT_EQ(api.calls(client::Verb::create, resources::pods), 1U);
}

TEST_F(KeyLoopTest, a_refused_write_is_tried_again_with_growing_spans) {
  int refused = 0;
  api.refuse(ErrorCode::conflict, [&](const Call&) { return ++refused <= 5; });
  loop.mark(key("p"));
  time.run_for(Span::of_milliseconds(5));
  EXPECT_EQ(looks, 1);
  run();
  EXPECT_EQ(looks, 6);
  EXPECT_TRUE(api.find(resources::pods, {"a", "p"}));
}

TEST_F(KeyLoopTest, a_lost_answer_is_looked_up_before_it_is_asked_again) {
  api.set_watch_delay(Span::of_seconds(30));
  api.lose_answers([](const Call& call) { return call.verb == client::Verb::create; });
  loop.mark(key("p"));
  run();
  EXPECT_EQ(api.calls(client::Verb::create, resources::pods), 1U);
  EXPECT_TRUE(loop.is_idle());
}

TEST_F(KeyLoopTest, a_round_lets_others_run) {
  for (std::size_t i = 0; i < 3 * keys_per_round_max; ++i) loop.mark(key(std::to_string(i)));
  bool others_ran = false;
  executor.post([&] { others_ran = looks < 2 * static_cast<int>(keys_per_round_max); });
  run();
  EXPECT_TRUE(others_ran);
  EXPECT_EQ(api.all(resources::pods).size(), 3 * keys_per_round_max);
}

}  // namespace
}  // namespace muster::control
