// SPDX-License-Identifier: Apache-2.0
#include "client/object_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "objects/edit.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "simulator/seeded_random.h"
#include "simulator/virtual_time.h"
#include "tests/client/fake_api.h"

namespace muster::client {
namespace {

using objects::Value;
namespace resources = objects::resources;

Value pod(const std::string& name, const std::string& owner = "") {
  std::string text = R"({"metadata":{"namespace":"a","name":")" + name + R"(")";
  if (!owner.empty()) text += R"(,"ownerReferences":[{"uid":")" + owner + R"("}])";
  return objects::parse_json(text + "},\"spec\":{}}").must();
}

Value labelled(const Value& object, const std::string& value) {
  return objects::with(object, {"metadata", "labels", "l"}, Value::string(value)).must();
}

std::string label(const Value& object) {
  return std::string(objects::labels_of(object)["l"].string_or("-"));
}

class ObjectCacheTest : public testing::Test {
 protected:
  ObjectCacheTest() {
    cache.subscribe([this](const CacheChange& change) {
      const std::string verb = change.before.is_absent()  ? "add "
                               : change.after.is_absent() ? "remove "
                                                          : "change ";
      heard.push_back(verb + std::string(objects::name_of(change.object())));
    });
  }

  void run(Span span = Span::of_seconds(5)) { time.run_for(span); }

  Value known(const std::string& name) const { return cache.find(resources::pods, {"a", name}); }

  // A write as the writer does it: its answer goes to the cache.
  void write(Call call) {
    api.call(std::move(call), [this](const Result<Value>& answer) {
      cache.saw_written(resources::pods, *answer);
      answered = true;
    });
  }
  void write_create(const Value& object) {
    Call call{.verb = Verb::create, .resource = resources::pods};
    call.name_space = "a";
    call.body = object;
    write(std::move(call));
  }
  void write_update(const Value& object) {
    Call call{.verb = Verb::update, .resource = resources::pods};
    call.name_space = "a";
    call.name = std::string(objects::name_of(object));
    call.body = object;
    write(std::move(call));
  }
  void write_remove(const Value& object) {
    Call call{.verb = Verb::remove, .resource = resources::pods};
    call.name_space = "a";
    call.name = std::string(objects::name_of(object));
    api.call(std::move(call), [this, object](const Result<Value>& answer) {
      cache.saw_removed(resources::pods, object, *answer);
      answered = true;
    });
  }
  void run_until_answered() {
    answered = false;
    ASSERT_TRUE(time.run_until([this] { return answered; }));
  }

  simulator::VirtualTime time;
  simulator::VirtualExecutor house{time};
  simulator::VirtualClock clock{time};
  simulator::SeededRandom random{1};
  FakeApi api{house, clock};
  ObjectCache cache{api, {house, clock, random}, {{resources::pods}, {resources::jobs}}};
  std::vector<std::string> heard;
  bool answered = false;
};

using Heard = std::vector<std::string>;

TEST_F(ObjectCacheTest, has_synced_when_every_resource_was_listed) {
  bool told = false;
  cache.when_synced([&] { told = true; });
  api.refuse(ErrorCode::unavailable,
             [](const Call& call) { return call.resource == resources::jobs; });
  cache.start();
  time.run_for(Span::of_milliseconds(1));
  EXPECT_FALSE(cache.has_synced());
  EXPECT_EQ(cache.troubles().size(), 1U);
  EXPECT_FALSE(told);
  api.stop_faults();
  run();
  EXPECT_TRUE(cache.has_synced());
  EXPECT_TRUE(told);
}

TEST_F(ObjectCacheTest, finds_by_key_by_namespace_and_by_owner) {
  api.create(resources::pods, pod("p", "job-1"));
  api.create(resources::pods, pod("q", "job-1"));
  api.create(resources::pods, pod("r"));
  cache.start();
  run();
  EXPECT_TRUE(known("p"));
  EXPECT_FALSE(known("x"));
  EXPECT_EQ(cache.in_namespace(resources::pods, "a").size(), 3U);
  EXPECT_EQ(cache.in_namespace(resources::pods, "b").size(), 0U);
  EXPECT_EQ(cache.owned_by(resources::pods, "job-1").size(), 2U);
  api.remove(resources::pods, {"a", "p"});
  run();
  EXPECT_EQ(cache.owned_by(resources::pods, "job-1").size(), 1U);
  EXPECT_EQ(cache.all(resources::services).size(), 0U);
}

TEST_F(ObjectCacheTest, an_own_create_is_known_when_its_answer_arrives) {
  cache.start();
  run();
  api.set_watch_delay(Span::of_seconds(3));
  write_create(pod("p"));
  run_until_answered();
  EXPECT_TRUE(known("p"));
  run();
  EXPECT_EQ(heard, (Heard{"add p"}));  // the watch says nothing new
}

TEST_F(ObjectCacheTest, an_older_event_does_not_overwrite_an_own_write) {
  cache.start();
  run();
  const Value first = api.create(resources::pods, pod("p"));
  run();
  api.set_watch_delay(Span::of_seconds(3));
  const Value second = api.replace(resources::pods, labelled(first, "theirs"));
  write_update(labelled(second, "ours"));
  run_until_answered();
  EXPECT_EQ(label(known("p")), "ours");
  run();
  EXPECT_EQ(label(known("p")), "ours");
  EXPECT_EQ(heard, (Heard{"add p", "change p"}));
}

TEST_F(ObjectCacheTest, an_own_answer_does_not_bring_back_what_the_watch_saw_go) {
  cache.start();
  run();
  api.set_answer_delay(Span::of_seconds(1));
  write_create(pod("p"));
  time.run_for(Span::of_milliseconds(1));
  api.remove(resources::pods, {"a", "p"});
  run();
  EXPECT_FALSE(known("p"));
  EXPECT_EQ(heard, (Heard{"add p", "remove p"}));
}

TEST_F(ObjectCacheTest, an_own_removal_is_not_undone_by_events_from_before) {
  cache.start();
  run();
  const Value object = api.create(resources::pods, pod("p"));
  run();
  api.set_watch_delay(Span::of_seconds(3));
  api.replace(resources::pods, labelled(object, "late news"));
  write_remove(object);
  run_until_answered();
  EXPECT_FALSE(known("p"));
  run();
  EXPECT_FALSE(known("p"));
  EXPECT_EQ(heard, (Heard{"add p", "remove p"}));
  // The same name with another uid is another object.
  api.create(resources::pods, pod("p"));
  run();
  EXPECT_TRUE(known("p"));
}

TEST_F(ObjectCacheTest, a_removal_that_something_holds_back_is_a_change) {
  cache.start();
  run();
  const Value held =
      objects::with(pod("p"), {"metadata", "finalizers"}, Value::array({Value::string("f")}))
          .must();
  const Value object = api.create(resources::pods, held);
  run();
  write_remove(object);
  run_until_answered();
  EXPECT_TRUE(objects::is_being_deleted(known("p")));
}

TEST_F(ObjectCacheTest, deletions_missed_before_a_new_list_are_found) {
  api.create(resources::pods, pod("p"));
  api.create(resources::pods, pod("q"));
  cache.start();
  run();
  api.close_watches(resources::pods, ErrorCode::unavailable);
  api.remove(resources::pods, {"a", "p"});
  api.forget_history();
  api.create(resources::pods, pod("r"));
  run();
  EXPECT_FALSE(known("p"));
  EXPECT_EQ(heard, (Heard{"add p", "add q", "add r", "remove p"}));
}

TEST_F(ObjectCacheTest, an_own_write_newer_than_a_list_survives_it) {
  cache.start();
  run();
  bool refreshed = false;
  api.set_answer_delay(Span::of_seconds(1));  // the list is made now and comes later
  cache.refresh(resources::pods, [&] { refreshed = true; });
  time.run_for(Span::of_milliseconds(1));
  api.set_answer_delay({});
  api.set_watch_delay(Span::of_seconds(20));
  write_create(pod("p"));
  run_until_answered();
  EXPECT_FALSE(refreshed);
  run();
  EXPECT_TRUE(refreshed);
  EXPECT_TRUE(known("p"));
  EXPECT_EQ(heard, (Heard{"add p"}));
}

TEST_F(ObjectCacheTest, a_name_with_another_uid_is_a_removal_and_an_addition) {
  api.create(resources::pods, pod("p", "old"));
  cache.start();
  run();
  api.close_watches(resources::pods, ErrorCode::unavailable);
  api.remove(resources::pods, {"a", "p"});
  api.create(resources::pods, pod("p", "new"));
  api.forget_history();
  run();
  EXPECT_EQ(heard, (Heard{"add p", "remove p", "add p"}));
  EXPECT_EQ(cache.owned_by(resources::pods, "old").size(), 0U);
  EXPECT_EQ(cache.owned_by(resources::pods, "new").size(), 1U);
}

TEST_F(ObjectCacheTest, events_told_twice_are_heard_once) {
  cache.start();
  run();
  api.set_events_twice(true);
  api.create(resources::pods, pod("p"));
  api.remove(resources::pods, {"a", "p"});
  api.create(resources::pods, pod("p"));
  run();
  EXPECT_EQ(heard, (Heard{"add p", "remove p", "add p"}));
}

}  // namespace
}  // namespace muster::client
