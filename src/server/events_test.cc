// Events of the core group and of events.k8s.io are the same objects.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

using objects::Value;

constexpr std::string_view core_events = "/api/v1/namespaces/default/events";
constexpr std::string_view events = "/apis/events.k8s.io/v1/namespaces/default/events";

constexpr std::string_view in_core = R"({"metadata":{"name":"a"},"reason":"Because","message":"m",
    "involvedObject":{"kind":"Pod","namespace":"default","name":"p"},"type":"Warning","count":2,
    "source":{"component":"c","host":"h"}})";

std::string at(std::string_view list, std::string_view name) {
  return std::string(list) + "/" + std::string(name);
}

TEST(Events, have_one_version_in_both_groups_and_the_names_of_each) {
  ServerWorld world;
  const Value made = json(text_of(world.send("POST", core_events, in_core)));
  const Value seen = json(text_of(world.send("GET", at(events, "a"))));
  EXPECT_EQ(seen["apiVersion"].string_or(""), "events.k8s.io/v1");
  EXPECT_EQ(seen["metadata"], made["metadata"]);
  EXPECT_EQ(seen["regarding"], made["involvedObject"]);
  EXPECT_EQ(seen["note"].string_or(""), "m");
  EXPECT_EQ(seen["deprecatedCount"].integer_or(0), 2);
  EXPECT_EQ(seen["deprecatedSource"], made["source"]);
  EXPECT_TRUE(seen["message"].is_absent());
  EXPECT_TRUE(seen["deprecatedFirstTimestamp"].is_null());
}

TEST(Events, are_selected_by_the_names_of_the_group_that_is_asked) {
  ServerWorld world;
  world.send("POST", core_events, in_core);
  const auto found = [&](std::string_view list, std::string_view selector) {
    const std::string path = std::string(list) + "?fieldSelector=" + std::string(selector);
    return json(text_of(world.send("GET", path)))["items"].size();
  };
  EXPECT_EQ(found(core_events, "involvedObject.name=p"), 1U);
  EXPECT_EQ(found(events, "regarding.name=p"), 1U);
  EXPECT_EQ(found(events, "regarding.name=q"), 0U);
  const std::string wrong = std::string(events) + "?fieldSelector=involvedObject.name=p";
  EXPECT_EQ(world.send("GET", wrong).status, 400);
}

TEST(Events, that_are_deleted_in_one_group_are_gone_in_the_other) {
  ServerWorld world;
  world.send("POST", core_events, in_core);
  EXPECT_EQ(world.send("DELETE", at(events, "a")).status, 200);
  EXPECT_EQ(world.send("GET", at(core_events, "a")).status, 404);
}

TEST(Events, of_the_newer_group_must_say_when_and_by_whom) {
  ServerWorld world;
  const Response refused = world.send("POST", events, R"({"metadata":{"name":"a"},
      "regarding":{"namespace":"default"}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(json(text_of(refused))["message"].string_or(""),
            "Event \"a\" is invalid: [eventTime: Required value, type: Invalid value: \"\": has "
            "invalid value: ]");
}

}  // namespace
}  // namespace muster::server
