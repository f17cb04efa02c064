// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "objects/resource.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

namespace resources = objects::resources;
using client::Verb;
using objects::Resource;
using objects::Value;
using testing::HasSubstr;

constexpr Resource quotas{"", "v1", "resourcequotas", "ResourceQuota"};

std::string pod(std::string_view name, std::string_view resources_text = "{}",
                std::string_view more = "") {
  return fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{}"containers":[
      {{"name":"c","image":"i","resources":{}}}]}}}})",
                     name, more, resources_text);
}

void make_quota(ServerWorld& world, std::string_view spec) {
  world.create(quotas, "default", fmt::format(R"({{"metadata":{{"name":"q"}},"spec":{}}})", spec));
}

std::string used(ServerWorld& world, std::string_view name) {
  const Value quota = world.get(quotas, "default", "q");
  return std::string(quota["status"]["used"][name].string_or("none"));
}

std::string refusal(ServerWorld& world, const Resource& resource, const std::string& body) {
  const auto answer = world.try_create(resource, "default", body);
  if (answer) return "admitted";
  EXPECT_EQ(answer.error().code, ErrorCode::forbidden);
  return answer.error().message;
}

TEST(quota, refuses_in_the_words_of_the_peer) {
  ServerWorld world;
  make_quota(world, R"({"hard":{"cpu":"10","requests.memory":"1Gi","pods":"5"}})");
  EXPECT_EQ(
      refusal(world, resources::pods, pod("big", R"({"requests":{"cpu":"100","memory":"1Mi"}})")),
      R"(pods "big" is forbidden: exceeded quota: q, requested: cpu=100, used: cpu=0, )"
      "limited: cpu=10");
  EXPECT_EQ(refusal(world, resources::pods, pod("mute")),
            R"(pods "mute" is forbidden: failed quota: q: must specify cpu for: c; )"
            "requests.memory for: c");
  EXPECT_EQ(
      refusal(world, resources::pods, pod("both", R"({"requests":{"cpu":"11","memory":"2Gi"}})")),
      R"(pods "both" is forbidden: exceeded quota: q, requested: cpu=11,)"
      "requests.memory=2Gi, used: cpu=0,requests.memory=0, limited: cpu=10,"
      "requests.memory=1Gi");
}

TEST(quota, is_counted_before_the_answer) {
  ServerWorld world;
  make_quota(world, R"({"hard":{"pods":"2","count/pods":"5","requests.nvidia.com/gpu":"4"}})");
  world.create(resources::pods, "default", pod("a", R"({"limits":{"nvidia.com/gpu":"3"}})"));
  EXPECT_EQ(used(world, "pods"), "1");
  EXPECT_EQ(used(world, "count/pods"), "1");
  EXPECT_EQ(used(world, "requests.nvidia.com/gpu"), "3");
  EXPECT_EQ(refusal(world, resources::pods, pod("b", R"({"limits":{"nvidia.com/gpu":"2"}})")),
            R"(pods "b" is forbidden: exceeded quota: q, requested: requests.nvidia.com/gpu=2, )"
            "used: requests.nvidia.com/gpu=3, limited: requests.nvidia.com/gpu=4");
}

TEST(quota, is_never_passed_by_many_at_once) {
  ServerWorld world;
  make_quota(world, R"({"hard":{"pods":"10"}})");
  std::vector<std::optional<Result<Value>>> answers(100);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    world.api->call({.verb = Verb::create,
                     .resource = resources::pods,
                     .name_space = "default",
                     .body = json(pod(fmt::format("p{}", i)))},
                    [&answers, i](Result<Value> answer) { answers[i].emplace(std::move(answer)); });
  }
  world.time.run_for(Span::of_seconds(5));
  int admitted = 0;
  for (const auto& answer : answers) {
    ASSERT_TRUE(answer.has_value());
    if (*answer) {
      ++admitted;
    } else {
      EXPECT_THAT(
          answer->error().message,
          HasSubstr("exceeded quota: q, requested: pods=1, used: pods=10, limited: pods=10"));
    }
  }
  EXPECT_EQ(admitted, 10);
  EXPECT_EQ(world.list(resources::pods, "default")["items"].size(), 10U);
  EXPECT_EQ(used(world, "pods"), "10");
}

TEST(quota, has_room_again_when_objects_go_or_end) {
  ServerWorld world;
  make_quota(world, R"({"hard":{"pods":"1","count/pods":"9"}})");
  world.create(resources::pods, "default", pod("a"));
  EXPECT_NE(refusal(world, resources::pods, pod("b")), "admitted");
  world.try_patch(resources::pods, "default", "a", R"({"status":{"phase":"Succeeded"}})", "status")
      .must();
  EXPECT_EQ(refusal(world, resources::pods, pod("b")), "admitted");
  world
      .call(
          {.verb = Verb::remove, .resource = resources::pods, .name_space = "default", .name = "b"})
      .must();
  world.time.run_for(Span::of_seconds(1));
  EXPECT_EQ(used(world, "pods"), "0");
  EXPECT_EQ(used(world, "count/pods"), "1");
}

TEST(quota, that_comes_later_counts_what_is_there) {
  ServerWorld world;
  world.create(resources::pods, "default", pod("a", R"({"requests":{"cpu":"1500m"}})"));
  make_quota(world,
             R"({"hard":{"pods":"9","cpu":"2","count/jobs.batch":"1","count/nothing":"1"}})");
  world.time.run_for(Span::of_seconds(1));
  EXPECT_EQ(used(world, "cpu"), "1500m");
  EXPECT_EQ(used(world, "count/jobs.batch"), "0");
  EXPECT_EQ(used(world, "count/nothing"), "none");
  world.restart();
  EXPECT_EQ(refusal(world, resources::pods, pod("b", R"({"requests":{"cpu":"1"}})")),
            R"(pods "b" is forbidden: exceeded quota: q, requested: cpu=1, used: cpu=1500m, )"
            "limited: cpu=2");
}

TEST(quota, counts_objects_of_any_kind) {
  ServerWorld world;
  make_quota(world, R"({"hard":{"count/jobs.batch":"1","services":"1","configmaps":"1"}})");
  const auto job = [](std::string_view name) {
    return fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"suspend":true,"template":{{"spec":
        {{"restartPolicy":"Never","containers":[{{"name":"c","image":"i"}}]}}}}}}}})",
                       name);
  };
  EXPECT_EQ(refusal(world, resources::jobs, job("a")), "admitted");
  EXPECT_EQ(refusal(world, resources::jobs, job("b")),
            R"(jobs.batch "b" is forbidden: exceeded quota: q, requested: count/jobs.batch=1, )"
            "used: count/jobs.batch=1, limited: count/jobs.batch=1");
  EXPECT_EQ(refusal(world, resources::config_maps, R"({"metadata":{"name":"a"}})"), "admitted");
  EXPECT_THAT(refusal(world, resources::config_maps, R"({"metadata":{"name":"b"}})"),
              HasSubstr("requested: configmaps=1, used: configmaps=1, limited: configmaps=1"));
}

TEST(quota, looks_at_scopes) {
  ServerWorld world;
  world.create(resources::priority_classes, "", R"({"metadata":{"name":"high"},"value":1000})");
  make_quota(world, R"({"hard":{"pods":"0"},"scopeSelector":{"matchExpressions":[
      {"scopeName":"PriorityClass","operator":"In","values":["high"]}]}})");
  EXPECT_EQ(refusal(world, resources::pods, pod("a")), "admitted");
  EXPECT_THAT(refusal(world, resources::pods, pod("b", "{}", R"("priorityClassName":"high",)")),
              HasSubstr("exceeded quota"));
  world.create(
      quotas, "default",
      R"({"metadata":{"name":"ends"},"spec":{"hard":{"pods":"0"},"scopes":["Terminating"]}})");
  EXPECT_THAT(refusal(world, resources::pods, pod("c", "{}", R"("activeDeadlineSeconds":5,)")),
              HasSubstr("exceeded quota: ends"));
  EXPECT_EQ(refusal(world, resources::pods, pod("d")), "admitted");
}

TEST(quota, is_not_used_by_a_dry_run_or_a_failed_create) {
  ServerWorld world;
  make_quota(world, R"({"hard":{"pods":"2"}})");
  world.create(resources::pods, "default", pod("a"));
  const auto again = world.try_create(resources::pods, "default", pod("a"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::already_exists);
  world.time.run_for(Span::of_seconds(1));
  EXPECT_EQ(used(world, "pods"), "1");
  EXPECT_EQ(refusal(world, resources::pods, pod("b")), "admitted");
}

}  // namespace
}  // namespace muster::server
