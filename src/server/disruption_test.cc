// SPDX-License-Identifier: Apache-2.0
#include "server/disruption.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "objects/metadata.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

using objects::Value;

constexpr std::string_view pods = "/api/v1/namespaces/default/pods";
constexpr std::string_view budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
constexpr std::string_view merge_type = "application/merge-patch+json";

void make_ready_pod(ServerWorld& world, std::string_view name) {
  world.send("POST", pods,
             fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"app":"x"}}}},"spec":{{)"
                         R"("nodeName":"n","containers":[{{"name":"c","image":"i"}}]}}}})",
                         name));
  world.send("PATCH", fmt::format("{}/{}/status", pods, name),
             R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})",
             merge_type);
}

void make_budget(ServerWorld& world, std::string_view rule) {
  world.send("POST", budgets,
             fmt::format(R"({{"metadata":{{"name":"b"}},"spec":{{{},"selector":{{"matchLabels":)"
                         R"({{"app":"x"}}}}}}}})",
                         rule));
}

Value status_of_budget(ServerWorld& world) {
  world.time.run_for(Span::of_milliseconds(100));
  const Value budget = json(text_of(world.send("GET", fmt::format("{}/b", budgets))));
  return budget.part(budget["status"]);
}

int evict(ServerWorld& world, std::string_view name) {
  return world
      .send(
          "POST", fmt::format("{}/{}/eviction", pods, name),
          fmt::format(
              R"({{"apiVersion":"policy/v1","kind":"Eviction","metadata":{{"name":"{}"}}}})", name))
      .status;
}

TEST(Disruption, the_status_of_a_budget_follows_its_pods) {
  ServerWorld world;
  make_ready_pod(world, "a");
  make_budget(world, R"("minAvailable":1)");
  Value status = status_of_budget(world);
  EXPECT_EQ(status["currentHealthy"].integer_or(-1), 1);
  EXPECT_EQ(status["disruptionsAllowed"].integer_or(-1), 0);
  EXPECT_EQ(status["conditions"][0]["reason"].string_or(""), "InsufficientPods");
  make_ready_pod(world, "b");
  status = status_of_budget(world);
  EXPECT_EQ(status["expectedPods"].integer_or(-1), 2);
  EXPECT_EQ(status["disruptionsAllowed"].integer_or(-1), 1);
  EXPECT_EQ(status["observedGeneration"].integer_or(-1), 1);
  EXPECT_EQ(status["conditions"][0]["reason"].string_or(""), "SufficientPods");
}

TEST(Disruption, of_two_evictions_at_once_one_finds_nothing_left) {
  ServerWorld world;
  make_ready_pod(world, "a");
  make_ready_pod(world, "b");
  make_budget(world, R"("minAvailable":1)");
  EXPECT_EQ(evict(world, "a"), 201);
  EXPECT_EQ(evict(world, "b"), 429);
  const Value gone = json(text_of(world.send("GET", fmt::format("{}/a", pods))));
  EXPECT_TRUE(objects::is_being_deleted(gone));
  EXPECT_EQ(objects::condition(gone, "DisruptionTarget")["reason"].string_or(""),
            "EvictionByEvictionAPI");
}

TEST(Disruption, a_share_of_pods_that_nobody_owns_allows_nothing) {
  ServerWorld world;
  make_ready_pod(world, "a");
  make_budget(world, R"("maxUnavailable":"50%")");
  const Value status = status_of_budget(world);
  EXPECT_EQ(status["expectedPods"].integer_or(-1), 0);
  EXPECT_EQ(status["disruptionsAllowed"].integer_or(-1), 0);
  EXPECT_EQ(evict(world, "a"), 429);
}

}  // namespace
}  // namespace muster::server
