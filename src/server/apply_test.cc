// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

using objects::Value;
using testing::HasSubstr;

constexpr std::string_view apply_type = "application/apply-patch+yaml";
constexpr std::string_view merge_type = "application/merge-patch+json";
constexpr std::string_view map = "/api/v1/namespaces/default/configmaps/a";

std::string applied(std::string_view manager, std::string_view more = {}) {
  return std::string(map) + "?fieldManager=" + std::string(manager) + std::string(more);
}

std::string configuration(std::string_view data) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":)" +
         std::string(data) + "}";
}

TEST(apply, creates_merges_and_meets_conflicts) {
  ServerWorld world;
  const Response made =
      world.send("PATCH", applied("m1"), configuration(R"({"a":"1"})"), apply_type);
  EXPECT_EQ(made.status, 201);
  const Value first = json(text_of(made));
  EXPECT_EQ(first["metadata"]["managedFields"][0]["manager"].string_or(""), "m1");
  const Response again =
      world.send("PATCH", applied("m1"), configuration(R"({"a":"1"})"), apply_type);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(json(text_of(again)).view(), first.view());
  const Response refused =
      world.send("PATCH", applied("m2"), configuration(R"({"a":"2"})"), apply_type);
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(std::string(text_of(refused)),
              HasSubstr(R"(Apply failed with 1 conflict: conflict with \"m1\": .data.a)"));
  const Response forced =
      world.send("PATCH", applied("m2", "&force=true"), configuration(R"({"a":"2"})"), apply_type);
  EXPECT_EQ(forced.status, 200);
  EXPECT_EQ(json(text_of(forced))["metadata"]["managedFields"].size(), 1U);
}

TEST(apply, says_what_it_needs) {
  ServerWorld world;
  EXPECT_EQ(world.send("PATCH", map, configuration("{}"), apply_type).status, 422);
  EXPECT_EQ(world.send("PATCH", applied("m"), "{}", apply_type).status, 400);
  const Response unknown = world.send(
      "PATCH", applied("m"),
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"foo":1})", apply_type);
  EXPECT_EQ(unknown.status, 500);
  EXPECT_THAT(std::string(text_of(unknown)), HasSubstr(".foo: field not declared in schema"));
}

TEST(managed_fields, survive_restarts_and_can_be_reset) {
  ServerWorld world;
  world.send("PATCH", applied("m1"), configuration(R"({"a":"1"})"), apply_type);
  world.restart();
  const Value read = json(text_of(world.send("GET", map)));
  EXPECT_EQ(read["metadata"]["managedFields"].size(), 1U);
  const Response reset =
      world.send("PATCH", map, R"({"metadata":{"managedFields":[{}]}})", merge_type);
  EXPECT_TRUE(json(text_of(reset))["metadata"]["managedFields"].is_absent());
}

TEST(managed_fields, are_not_what_musters_own_parts_see) {
  ServerWorld world;
  world.send("PATCH", applied("m1"), configuration(R"({"a":"1"})"), apply_type);
  const Value seen = world.get(objects::resources::config_maps, "default", "a");
  EXPECT_TRUE(seen["metadata"]["managedFields"].is_absent());
}

TEST(eviction, deletes_a_pod_unless_its_budget_forbids_it) {
  ServerWorld world;
  const std::string pods = "/api/v1/namespaces/default/pods";
  for (const std::string_view name : {"free", "held"}) {
    world.send("POST", pods,
               R"({"metadata":{"name":")" + std::string(name) + R"(","labels":{"app":")" +
                   std::string(name) + R"("}},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  }
  world.send("POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
             R"({"metadata":{"name":"b"},"spec":{"minAvailable":1,
                 "selector":{"matchLabels":{"app":"held"}}}})");
  world.send("PATCH", pods + "/held/status",
             R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})",
             merge_type);
  const auto evict = [&](const std::string& name) {
    return world.send(
        "POST", pods + "/" + name + "/eviction",
        R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" + name + R"("}})");
  };
  EXPECT_EQ(evict("free").status, 201);
  const Response blocked = evict("held");
  EXPECT_EQ(blocked.status, 429);
  EXPECT_THAT(std::string(text_of(blocked)), HasSubstr("needs 1 healthy pods and has 1 currently"));
}

}  // namespace
}  // namespace muster::server
