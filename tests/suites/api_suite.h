// What every client::Api promises, whatever stands behind it: our server in process, our server
// over HTTPS, or a real kube-apiserver (by hand: MUSTER_SUITE_KUBECONFIG). A world is an Api with
// the house it is called on.
//
//   INSTANTIATE_TEST_SUITE_P(https, ApiSuite, ::testing::Values(&make_https_world));
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

#include "base/unique_function.h"
#include "client/api.h"
#include "objects/edit.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "tests/suites/api_world.h"

namespace muster::suites {

// What a watch has brought; touched on the house thread.
struct Watched {
  std::vector<client::WatchEvent> events;
  std::optional<Error> closed;
  std::unique_ptr<client::Watch> watch;
};

class ApiSuite : public ::testing::TestWithParam<ApiWorldFactory> {
 protected:
  using Call = client::Call;
  using Verb = client::Verb;
  using Value = objects::Value;
  using Type = client::WatchEvent::Type;

  void SetUp() override {
    world_ = GetParam()();
    space_ = world_->name_space();
  }
  void TearDown() override { world_.reset(); }

  static Value json(std::string_view text) { return objects::parse_json(text).must(); }

  Result<Value> call(Call call) {
    std::optional<Result<Value>> answer;
    world_->on_house([&] {
      world_->api().call(std::move(call),
                         [&](Result<Value> result) { answer = std::move(result); });
      EXPECT_FALSE(answer) << "the answer came from inside the call";
    });
    if (!world_->run_until([&] { return answer.has_value(); })) {
      return Error::internal("no answer came");
    }
    return std::move(*answer);
  }

  Result<client::Listed> list(Call call) {
    std::optional<Result<client::Listed>> answer;
    world_->on_house([&] {
      world_->api().list(std::move(call),
                         [&](Result<client::Listed> result) { answer = std::move(result); });
      EXPECT_FALSE(answer) << "the answer came from inside the call";
    });
    if (!world_->run_until([&] { return answer.has_value(); })) {
      return Error::internal("no answer came");
    }
    return std::move(*answer);
  }

  Call on_map(Verb verb, std::string name) {
    return {.verb = verb,
            .resource = objects::resources::config_maps,
            .name_space = space_,
            .name = std::move(name)};
  }

  Result<Value> create(std::string_view object) {
    Call request = on_map(Verb::create, "");
    request.body = json(object);
    return call(std::move(request));
  }

  Result<Value> update(const Value& object) {
    Call request = on_map(Verb::update, std::string(objects::name_of(object)));
    request.body = object;
    return call(std::move(request));
  }

  Result<Value> patch(std::string name, objects::PatchType type, std::string_view body) {
    Call request = on_map(Verb::patch, std::move(name));
    request.patch_type = type;
    request.body = json(body);
    return call(std::move(request));
  }

  // Config maps that the suite made, by label: a real cluster puts one of its own into each
  // namespace.
  client::WatchCall ours(std::string resource_version = {}) {
    return {.resource = objects::resources::config_maps,
            .name_space = space_,
            .label_selector = "suite=ours",
            .resource_version = std::move(resource_version)};
  }

  void watch(Watched& watched, client::WatchCall call) {
    world_->on_house([&] {
      watched.watch = world_->api().watch(
          std::move(call), {.on_event =
                                [&](client::WatchEvent event) {
                                  if (event.type != Type::bookmark)
                                    watched.events.push_back(std::move(event));
                                },
                            .on_closed = [&](Error error) { watched.closed = std::move(error); }});
    });
  }

  // "added a" …, once there are as many.
  std::vector<std::string> seen(Watched& watched, std::size_t count) {
    EXPECT_TRUE(world_->run_until(
        [&] { return watched.events.size() >= count || watched.closed.has_value(); }));
    std::vector<std::string> lines;
    world_->on_house([&] {
      for (const client::WatchEvent& event : watched.events) {
        const char* type = event.type == Type::added      ? "added "
                           : event.type == Type::modified ? "modified "
                                                          : "deleted ";
        lines.push_back(type + std::string(objects::name_of(event.object)));
      }
    });
    return lines;
  }

  void end(Watched& watched) {
    world_->on_house([&] { watched.watch.reset(); });
  }

  std::unique_ptr<ApiWorld> world_;
  std::string space_;
};

inline std::string ours_named(std::string_view name, std::string_view more = "") {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + std::string(name) +
         R"(","labels":{"suite":"ours"}},"data":{"k":"v")" + std::string(more) + "}}";
}

TEST_P(ApiSuite, what_is_created_can_be_read) {
  const Value made = create(ours_named("a")).must();
  EXPECT_EQ(objects::name_of(made), "a");
  EXPECT_EQ(objects::namespace_of(made), space_);
  EXPECT_FALSE(objects::uid_of(made).empty());
  const Value read = call(on_map(Verb::get, "a")).must();
  EXPECT_EQ(read["data"], made["data"]);
  EXPECT_EQ(objects::resource_version_of(read), objects::resource_version_of(made));
  EXPECT_EQ(read["kind"].string_or(""), "ConfigMap");
}

TEST_P(ApiSuite, what_exists_is_not_created_again) {
  create(ours_named("a")).must();
  const auto again = create(ours_named("a"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::already_exists);
  EXPECT_EQ(again.error().message, R"(configmaps "a" already exists)");
}

TEST_P(ApiSuite, what_is_absent_is_not_found) {
  const auto absent = call(on_map(Verb::get, "absent"));
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::not_found);
  EXPECT_EQ(absent.error().message, R"(configmaps "absent" not found)");
  const auto removed = call(on_map(Verb::remove, "absent"));
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ErrorCode::not_found);
}

TEST_P(ApiSuite, an_update_of_an_old_version_conflicts) {
  const Value first = create(ours_named("a")).must();
  const Value second =
      update(objects::with(first, {"data", "k"}, Value::string("w")).must()).must();
  EXPECT_EQ(second["data"]["k"].string_or(""), "w");
  const auto late = update(objects::with(first, {"data", "k"}, Value::string("x")).must());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::conflict);
  EXPECT_EQ(call(on_map(Verb::get, "a")).must()["data"]["k"].string_or(""), "w");
}

TEST_P(ApiSuite, patches_of_each_type_apply) {
  create(ours_named("a")).must();
  const Value merged =
      patch("a", objects::PatchType::merge, R"({"data":{"k":null,"m":"1"}})").must();
  EXPECT_EQ(merged["data"], json(R"({"m":"1"})").view());
  const Value replaced =
      patch("a", objects::PatchType::json, R"([{"op":"replace","path":"/data/m","value":"2"}])")
          .must();
  EXPECT_EQ(replaced["data"]["m"].string_or(""), "2");
  const Value strategic =
      patch("a", objects::PatchType::strategic_merge, R"({"data":{"s":"3"}})").must();
  EXPECT_EQ(strategic["data"], json(R"({"m":"2","s":"3"})").view());
}

TEST_P(ApiSuite, an_invalid_object_is_refused_with_its_fields) {
  const auto refused =
      create(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"Not_A_Name"}})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid);
  EXPECT_THAT(refused.error().message,
              ::testing::HasSubstr(R"(ConfigMap "Not_A_Name" is invalid: metadata.name)"));
}

TEST_P(ApiSuite, names_that_are_garbage_harm_nobody) {
  create(ours_named("a")).must();
  for (const char* name : {"", ".", "..", "a/b", "../a", "a%2fb", "a?watch=1", "a#b", "a b", "\r\n",
                           "a\r\nX: y", "\xff\xfe", "ä", "a;b", "a&b", "%00", "A"}) {
    const auto read = call(on_map(Verb::get, name));
    EXPECT_FALSE(read) << name;
    const auto removed = call(on_map(Verb::remove, name));
    EXPECT_FALSE(removed) << name;
  }
  EXPECT_TRUE(call(on_map(Verb::get, "a")));
  EXPECT_FALSE(call(on_map(Verb::get, std::string(5'000, 'x'))));
}

TEST_P(ApiSuite, a_list_is_what_the_selectors_say) {
  create(ours_named("a")).must();
  create(ours_named("b")).must();
  create(R"({"apiVersion":"v1","kind":"ConfigMap",
             "metadata":{"name":"c","labels":{"suite":"other"}}})")
      .must();
  Call request = on_map(Verb::list, "");
  request.label_selector = "suite in (ours)";
  const Value some = call(request).must();
  EXPECT_EQ(some["items"].size(), 2U);
  EXPECT_FALSE(objects::resource_version_of(some).empty());
  request.label_selector = "suite";
  request.field_selector = "metadata.name!=a";
  EXPECT_EQ(call(request).must()["items"].size(), 2U);
  request.label_selector = "suite in (";
  const auto refused = call(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::bad_request);
}

TEST_P(ApiSuite, a_list_taken_apart_has_the_same_items) {
  create(ours_named("a")).must();
  create(ours_named("b")).must();
  Call request = on_map(Verb::list, "");
  request.label_selector = "suite=ours";
  const Value whole = call(request).must();
  const client::Listed apart = list(request).must();
  EXPECT_FALSE(apart.resource_version.empty());
  ASSERT_EQ(apart.items.size(), 2U);
  for (std::size_t at = 0; at < apart.items.size(); ++at) {
    EXPECT_EQ(objects::name_of(apart.items[at]), objects::name_of(whole["items"][at]));
    EXPECT_EQ(objects::resource_version_of(apart.items[at]),
              objects::resource_version_of(whole["items"][at]));
    EXPECT_EQ(objects::View(apart.items[at])["data"]["k"].string_or(""), "v");
  }
  request.label_selector = "suite in (";
  const auto refused = list(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::bad_request);
}

TEST_P(ApiSuite, preconditions_guard_a_deletion) {
  const Value made = create(ours_named("a")).must();
  Call request = on_map(Verb::remove, "a");
  request.preconditions.uid = "00000000-0000-0000-0000-000000000000";
  const auto refused = call(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  request.preconditions.uid = objects::uid_of(made);
  EXPECT_TRUE(call(request));
  EXPECT_FALSE(call(on_map(Verb::get, "a")));
}

TEST_P(ApiSuite, a_finalizer_holds_an_object) {
  create(ours_named("a")).must();
  patch("a", objects::PatchType::merge, R"({"metadata":{"finalizers":["example.com/hold"]}})")
      .must();
  EXPECT_TRUE(call(on_map(Verb::remove, "a")));
  EXPECT_TRUE(objects::is_being_deleted(call(on_map(Verb::get, "a")).must()));
  EXPECT_TRUE(patch("a", objects::PatchType::merge, R"({"metadata":{"finalizers":null}})"));
  EXPECT_FALSE(call(on_map(Verb::get, "a")));
}

TEST_P(ApiSuite, a_watch_sees_what_happens_after_its_version) {
  create(ours_named("before")).must();
  const Value listed = call(on_map(Verb::list, "")).must();
  Watched watched;
  watch(watched, ours(std::string(objects::resource_version_of(listed))));
  const Value made = create(ours_named("a")).must();
  update(objects::with(made, {"data", "k"}, Value::string("w")).must()).must();
  call(on_map(Verb::remove, "a")).must();
  EXPECT_THAT(seen(watched, 3), ::testing::ElementsAre("added a", "modified a", "deleted a"));
  world_->on_house([&] {
    EXPECT_EQ(watched.events[2].object["data"]["k"].string_or(""), "w");
    EXPECT_NE(objects::resource_version_of(watched.events[2].object),
              objects::resource_version_of(watched.events[1].object));
  });
  end(watched);
}

TEST_P(ApiSuite, a_watch_replays_what_it_missed) {
  const Value first = create(ours_named("a")).must();
  create(ours_named("b")).must();
  call(on_map(Verb::remove, "a")).must();
  Watched watched;
  watch(watched, ours(std::string(objects::resource_version_of(first))));
  EXPECT_THAT(seen(watched, 2), ::testing::ElementsAre("added b", "deleted a"));
  end(watched);
}

TEST_P(ApiSuite, a_watch_sees_objects_enter_and_leave_its_selector) {
  const Value listed = call(on_map(Verb::list, "")).must();
  Watched watched;
  watch(watched, ours(std::string(objects::resource_version_of(listed))));
  create(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})").must();
  patch("a", objects::PatchType::merge, R"({"metadata":{"labels":{"suite":"ours"}}})").must();
  patch("a", objects::PatchType::merge, R"({"metadata":{"labels":{"suite":"other"}}})").must();
  EXPECT_THAT(seen(watched, 2), ::testing::ElementsAre("added a", "deleted a"));
  end(watched);
}

TEST_P(ApiSuite, nothing_comes_after_a_watch_was_dropped) {
  Watched watched;
  const Value listed = call(on_map(Verb::list, "")).must();
  watch(watched, ours(std::string(objects::resource_version_of(listed))));
  create(ours_named("a")).must();
  seen(watched, 1);
  end(watched);
  create(ours_named("b")).must();
  call(on_map(Verb::get, "b")).must();
  EXPECT_EQ(seen(watched, 1).size(), 1U);
  EXPECT_FALSE(watched.closed);
}

TEST_P(ApiSuite, a_watch_from_a_forgotten_version_is_expired) {
  const Value first = create(ours_named("a")).must();
  for (int round = 0; round < 5; ++round) create(ours_named("b" + std::to_string(round))).must();
  if (!world_->compact()) GTEST_SKIP() << "this server forgets when it wants";
  Watched watched;
  watch(watched, ours(std::string(objects::resource_version_of(first))));
  ASSERT_TRUE(world_->run_until([&] { return watched.closed.has_value(); }));
  EXPECT_EQ(watched.closed->code, ErrorCode::expired);
  EXPECT_TRUE(watched.events.empty());
  end(watched);
}

TEST_P(ApiSuite, many_calls_at_once_are_all_answered) {
  constexpr std::size_t count = 200;
  std::size_t answered = 0;
  std::size_t refused = 0;
  world_->on_house([&] {
    for (std::size_t number = 0; number < count; ++number) {
      Call request = on_map(Verb::create, "");
      request.body = json(ours_named("m" + std::to_string(number % 100)));
      world_->api().call(std::move(request), [&](Result<Value> result) {
        ++answered;
        if (!result) ++refused;
      });
    }
  });
  EXPECT_TRUE(world_->run_until([&] { return answered == count; }));
  EXPECT_EQ(refused, count / 2);
}

}  // namespace muster::suites
