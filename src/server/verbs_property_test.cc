// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "objects/metadata.h"
#include "server/stored_object.h"
#include "tests/suites/server_world.h"

// Random sequences of writes by several callers against a simple model, and watchers that must see
// exactly the history: what they see, applied to what they began with, is the state at every
// revision, and nothing comes twice.

namespace muster::server {
namespace {

namespace resources = objects::resources;
using client::Verb;
using client::WatchEvent;
using objects::Value;
using simulator::SeededRandom;

// What one watcher holds: the labels of the objects it can see.
struct Mirror {
  std::string selector;
  std::map<std::string, std::string> objects;  // name → resourceVersion
  std::uint64_t seen = 0;
  std::unique_ptr<client::Watch> watch;

  void take(const WatchEvent& event) {
    const auto revision = parse_revision(objects::resource_version_of(event.object));
    ASSERT_TRUE(revision);
    if (event.type == WatchEvent::Type::bookmark) return;
    ASSERT_GT(revision->value, seen) << "events come in the order of revisions, each once";
    seen = revision->value;
    const std::string name(objects::name_of(event.object));
    const bool known = objects.contains(name);
    ASSERT_EQ(known, event.type != WatchEvent::Type::added) << name;
    if (event.type == WatchEvent::Type::deleted) {
      objects.erase(name);
    } else {
      objects[name] = fmt::to_string(revision->value);
    }
  }
};

class Storm {
 public:
  explicit Storm(std::uint64_t seed) : dice_(seed) {
    for (const char* selector : {"", "app=a", "app in (a,b)", "!app"}) {
      mirrors_.push_back(std::make_unique<Mirror>());
      mirrors_.back()->selector = selector;
      open(*mirrors_.back());
    }
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      act();
      if (dice_.one_in(3)) world_.time.run_for(Span::of_milliseconds(1));
      if (dice_.one_in(40)) reopen(*mirrors_[dice_.below(mirrors_.size())]);
    }
    world_.settle();
    check();
  }

 private:
  std::string some_name() { return fmt::format("n{}", dice_.below(5)); }
  std::string some_labels() {
    static constexpr const char* choices[] = {R"({"app":"a"})", R"({"app":"b"})",
                                              R"({"app":null})"};
    return choices[dice_.below(3)];
  }

  void call(client::Call call) {
    call.name_space = "default";
    ++sent_;
    world_.api->call(std::move(call), [this](const Result<Value>& answer) {
      ++answered_;
      if (answer) return;
      const ErrorCode code = answer.error().code;
      const bool expected = code == ErrorCode::not_found || code == ErrorCode::conflict ||
                            code == ErrorCode::already_exists;
      EXPECT_TRUE(expected) << answer.error().message;
    });
  }

  void act() {
    const std::string name = some_name();
    switch (dice_.below(5)) {
      case 0:
        return call({.verb = Verb::create,
                     .resource = resources::config_maps,
                     .body = json(fmt::format(
                         R"({{"metadata":{{"name":"{}","labels":{{"app":"a"}}}}}})", name))});
      case 1:
        return call({.verb = Verb::remove, .resource = resources::config_maps, .name = name});
      case 2:
        return call(
            {.verb = Verb::patch,
             .resource = resources::config_maps,
             .name = name,
             .body = json(fmt::format(R"({{"metadata":{{"labels":{}}}}})", some_labels()))});
      case 3:
        return call({.verb = Verb::patch,
                     .resource = resources::config_maps,
                     .name = name,
                     .body = json(fmt::format(R"({{"data":{{"k":"{}"}}}})", dice_.below(3)))});
      default:
        return call(
            {.verb = Verb::update,
             .resource = resources::config_maps,
             .name = name,
             .body = json(fmt::format(R"({{"metadata":{{"name":"{}"}},"data":{{"k":"{}"}}}})", name,
                                      dice_.below(3)))});
    }
  }

  Value list(const Mirror& mirror) {
    return world_.list(resources::config_maps, "default", mirror.selector);
  }

  void open(Mirror& mirror) {
    const Value listed = list(mirror);
    mirror.objects.clear();
    for (objects::View item : listed["items"].elements()) {
      mirror.objects[std::string(objects::name_of(item))] = objects::resource_version_of(item);
    }
    mirror.seen = parse_revision(objects::resource_version_of(listed))->value;
    Mirror* sink = &mirror;
    mirror.watch = world_.api->watch(
        {.resource = resources::config_maps,
         .name_space = "default",
         .label_selector = mirror.selector,
         .resource_version = fmt::to_string(mirror.seen)},
        {.on_event = [sink](WatchEvent event) { sink->take(event); },
         .on_closed = [](const Error& error) { ADD_FAILURE() << error.message; }});
  }

  // From where it was, or from a new list.
  void reopen(Mirror& mirror) {
    mirror.watch.reset();
    open(mirror);
  }

  void check() {
    EXPECT_EQ(sent_, answered_);
    for (const auto& mirror : mirrors_) {
      const Value listed = list(*mirror);
      std::map<std::string, std::string> there;
      for (objects::View item : listed["items"].elements()) {
        there[std::string(objects::name_of(item))] = objects::resource_version_of(item);
      }
      EXPECT_EQ(mirror->objects, there) << mirror->selector;
    }
  }

  SeededRandom dice_;
  ServerWorld world_;
  std::vector<std::unique_ptr<Mirror>> mirrors_;
  int sent_ = 0;
  int answered_ = 0;
};

TEST(verbs_property, watchers_see_exactly_what_happened) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Storm storm(seed);
    storm.run(200);
    if (testing::Test::HasFailure()) return;
  }
}

// One caller at a time: every answer must be the one of a map of objects.
struct Modelled {
  std::string uid;
  std::string value;
};

TEST(verbs_property, one_caller_sees_a_map) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom dice(seed);
    ServerWorld world;
    std::map<std::string, Modelled> model;
    for (int i = 0; i < 100; ++i) {
      const std::string name = fmt::format("n{}", dice.below(4));
      const std::string value = fmt::format("{}", dice.below(3));
      const bool known = model.contains(name);
      switch (dice.below(4)) {
        case 0: {
          const auto made = world.try_create(
              resources::config_maps, "default",
              fmt::format(R"({{"metadata":{{"name":"{}"}},"data":{{"k":"{}"}}}})", name, value));
          ASSERT_EQ(made.has_value(), !known);
          if (made) model[name] = {std::string(objects::uid_of(*made)), value};
          break;
        }
        case 1:
          ASSERT_EQ(world.try_remove(resources::config_maps, "default", name).has_value(), known);
          model.erase(name);
          break;
        case 2: {
          const auto patched = world.try_patch(resources::config_maps, "default", name,
                                               fmt::format(R"({{"data":{{"k":"{}"}}}})", value));
          ASSERT_EQ(patched.has_value(), known);
          if (known) model[name].value = value;
          break;
        }
        default: {
          const auto got = world.try_get(resources::config_maps, "default", name);
          ASSERT_EQ(got.has_value(), known);
          if (!known) break;
          EXPECT_EQ(objects::uid_of(*got), model[name].uid);
          EXPECT_EQ((*got)["data"]["k"].string_or(""), model[name].value);
        }
      }
      if (dice.one_in(25)) world.restart();
    }
    EXPECT_EQ(world.list(resources::config_maps, "default")["items"].size(), model.size());
  }
}

}  // namespace
}  // namespace muster::server
