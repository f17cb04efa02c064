// A node agent with pretend pods against the API server: restarts of containers and of the agent,
// deletions, lost connections.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agent/agent_world.h"

namespace muster::agent {

namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

TEST(RestartPolicy, always_runs_again_after_growing_pauses) {
  AgentWorld world;
  const Value pod = world.create_pod("p", {.run_seconds = "1", .restart_policy = "Always"});
  world.pass_seconds(4);  // ended at 1 and run again at once, ended at 2: ten seconds of pause
  EXPECT_EQ(world.phase("p"), "Running");
  const Value waits = world.container("p");
  EXPECT_EQ(waits["state"]["waiting"]["reason"].string_or(""), "CrashLoopBackOff");
  EXPECT_THAT(std::string(waits["state"]["waiting"]["message"].string_or("")),
              StartsWith("back-off 10s restarting failed container=main pod=p_default("));
  EXPECT_EQ(waits["restartCount"].integer_or(0), 1);
  EXPECT_EQ(waits["lastState"]["terminated"]["exitCode"].integer_or(-1), 0);
  EXPECT_EQ(world.runs(pod), 2U);
  world.pass_seconds(10);  // ran again from 12 to 13: twenty seconds of pause
  EXPECT_EQ(world.runs(pod), 3U);
  EXPECT_EQ(world.container("p")["restartCount"].integer_or(0), 2);
  world.pass_seconds(15);
  EXPECT_EQ(world.runs(pod), 3U);
  world.pass_seconds(5);
  EXPECT_EQ(world.runs(pod), 4U);
  EXPECT_THAT(world.events("p"), Contains(HasSubstr("BackOff: Back-off restarting failed")));
}

TEST(RestartPolicy, on_failure_stops_at_success) {
  AgentWorld world;
  const Value well = world.create_pod("well", {.run_seconds = "1", .restart_policy = "OnFailure"});
  const Value ill = world.create_pod(
      "ill", {.run_seconds = "1", .exit_code = "2", .restart_policy = "OnFailure"});
  world.pass_seconds(30);
  EXPECT_EQ(world.phase("well"), "Succeeded");
  EXPECT_EQ(world.runs(well), 1U);
  EXPECT_EQ(world.phase("ill"), "Running");
  EXPECT_EQ(world.runs(ill), 3U);
}

TEST(RestartPolicy, the_count_survives_the_agent) {
  AgentWorld world;
  const Value pod = world.create_pod("p", {.run_seconds = "1", .restart_policy = "Always"});
  world.pass_seconds(14);
  EXPECT_EQ(world.container("p")["restartCount"].integer_or(0), 2);
  world.restart_agent();
  EXPECT_EQ(world.container("p")["restartCount"].integer_or(0), 2);
  EXPECT_EQ(world.container("p")["state"]["waiting"]["reason"].string_or(""), "CrashLoopBackOff");
  world.pass_seconds(30);
  EXPECT_EQ(world.container("p")["restartCount"].integer_or(0), 3);
  EXPECT_EQ(world.runs(pod), 4U);
}

TEST(Deletion, stops_the_pod_and_takes_it_away) {
  AgentWorld world;
  world.create_pod("p");
  world.settle();
  world.delete_pod("p");
  world.settle();
  EXPECT_FALSE(world.exists("p"));
  EXPECT_TRUE(world.runtime.pods().empty());
  EXPECT_THAT(world.events("p"), Contains("Killing: Stopping container main"));
}

TEST(Deletion, waits_for_the_grace_of_a_pod_that_does_not_listen) {
  AgentWorld world;
  world.create_pod("p", {.annotations = R"(,"muster.dev/pretend-ignores-sigterm":"true")"});
  world.settle();
  world.delete_pod("p", 10);
  world.pass_seconds(5);
  EXPECT_TRUE(world.exists("p"));
  world.delete_pod("p", 1);
  world.pass_seconds(2);
  EXPECT_FALSE(world.exists("p"));
}

TEST(Deletion, by_force_removes_what_runs) {
  AgentWorld world;
  world.create_pod("p");
  world.settle();
  world.delete_pod("p", 0);
  world.settle();
  EXPECT_FALSE(world.exists("p"));
  EXPECT_TRUE(world.runtime.pods().empty());
}

TEST(Deletion, of_a_pod_with_a_finalizer_tells_how_it_ended) {
  AgentWorld world;
  world.create_pod("p", {.metadata = R"(,"finalizers":["batch.kubernetes.io/job-tracking"])"});
  world.settle();
  world.delete_pod("p");
  world.pass_seconds(5);
  EXPECT_EQ(world.phase("p"), "Failed");
  EXPECT_EQ(world.container("p")["state"]["terminated"]["exitCode"].integer_or(0), 143);
  ASSERT_TRUE(world.server.try_patch(resources::pods, "default", "p",
                                     R"({"metadata":{"finalizers":null}})"));
  world.settle();
  EXPECT_FALSE(world.exists("p"));
  EXPECT_TRUE(world.runtime.pods().empty());
}

TEST(Deletion, of_a_pod_that_never_started) {
  AgentWorld world;
  world.create_pod("p", {.annotations = R"(,"muster.dev/gang":"w","muster.dev/gang-size":"2")"});
  world.pass_seconds(3);
  world.delete_pod("p");
  world.settle();
  EXPECT_FALSE(world.exists("p"));
}

TEST(Deletion, a_pod_of_the_same_name_is_another_pod) {
  AgentWorld world;
  const Value first = world.create_pod("p");
  world.settle();
  world.kill_agent();
  world.delete_pod("p", 0);
  const Value second = world.create_pod("p");
  world.start_agent();
  world.settle();
  EXPECT_EQ(world.phase("p"), "Running");
  ASSERT_EQ(world.runtime.pods().size(), 1U);
  EXPECT_EQ(world.runtime.pods()[0].uid, objects::uid_of(second));
}

TEST(Deletion, while_the_agent_was_away) {
  AgentWorld world;
  world.create_pod("p");
  world.create_pod("q");
  world.settle();
  world.kill_agent();
  world.delete_pod("p", 0);
  world.delete_pod("q");
  world.start_agent();
  world.settle();
  EXPECT_FALSE(world.exists("q"));
  EXPECT_TRUE(world.runtime.pods().empty());
}

// After each number of steps of the world, the agent dies once and comes back.
TEST(AgentRestart, at_every_moment_runs_each_pod_once) {
  bool died_after_the_end = false;
  for (std::uint64_t step = 1; !died_after_the_end; ++step) {
    AgentWorld world;
    const Value a = world.create_pod(
        "a", {.run_seconds = "0.01",
              .annotations = R"(,"muster.dev/gang":"w","muster.dev/gang-size":"2")"});
    const Value b = world.create_pod(
        "b", {.run_seconds = "0.01",
              .node = "n2",
              .annotations = R"(,"muster.dev/gang":"w","muster.dev/gang-size":"2")"});
    for (std::uint64_t i = 0; i < step; ++i) world.server.time.step();
    died_after_the_end = world.phase("a") == "Succeeded" && world.phase("b") == "Succeeded";
    world.restart_agent();
    world.pass_seconds(1);
    ASSERT_EQ(world.phase("a"), "Succeeded") << step;
    ASSERT_EQ(world.phase("b"), "Succeeded") << step;
    ASSERT_EQ(world.runs(a), 1U) << step;
    ASSERT_EQ(world.runs(b), 1U) << step;
    ASSERT_LT(step, 1000U);
  }
}

TEST(AgentRestart, at_every_moment_of_a_deletion_leaves_nothing_behind) {
  bool died_after_the_end = false;
  for (std::uint64_t step = 1; !died_after_the_end; ++step) {
    AgentWorld world;
    world.create_pod("p");
    world.settle();
    world.delete_pod("p");
    for (std::uint64_t i = 0; i < step; ++i) world.server.time.step();
    died_after_the_end = !world.exists("p");
    world.restart_agent();
    world.pass_seconds(1);
    ASSERT_FALSE(world.exists("p")) << step;
    ASSERT_TRUE(world.runtime.pods().empty()) << step;
    ASSERT_LT(step, 1000U);
  }
}

TEST(AgentRestart, a_pod_that_the_machine_lost_is_failed_and_not_run_again) {
  AgentWorld world;
  const Value pod = world.create_pod("p");
  world.settle();
  world.kill_agent();
  world.runtime.lose_everything();
  world.start_agent();
  world.settle();
  EXPECT_EQ(world.phase("p"), "Failed");
  EXPECT_EQ(world.container("p")["state"]["terminated"]["reason"].string_or(""),
            "ContainerStatusUnknown");
  EXPECT_EQ(world.runs(pod), 0U);
}

TEST(AgentRestart, a_pod_that_the_machine_lost_is_run_again_where_its_policy_says_so) {
  AgentWorld world;
  world.create_pod("p", {.restart_policy = "Always"});
  world.settle();
  world.kill_agent();
  world.runtime.lose_everything();
  world.start_agent();
  world.settle();
  EXPECT_EQ(world.phase("p"), "Running");
  EXPECT_EQ(world.container("p")["restartCount"].integer_or(0), 1);
}

TEST(LostAnswer, of_any_call_changes_nothing_in_the_end) {
  for (const bool arrives : {false, true}) {
    bool beyond_the_end = false;
    for (std::size_t call = 1; !beyond_the_end; ++call) {
      AgentWorld world;
      world.api->arrives_all_the_same = arrives;
      world.api->lost_call = world.api->calls + call;
      const Value pod = world.create_pod("p", {.run_seconds = "1"});
      const Value on = world.create_pod("q");
      world.pass_seconds(3);
      world.delete_pod("q");
      world.pass_seconds(5);
      beyond_the_end = world.api->calls < world.api->lost_call;
      ASSERT_EQ(world.phase("p"), "Succeeded") << call;
      ASSERT_EQ(world.runs(pod), 1U) << call;
      ASSERT_FALSE(world.exists("q")) << call;
      ASSERT_LT(call, 1000U);
    }
  }
}

TEST(LostConnection, is_made_up_for_when_it_comes_back) {
  AgentWorld world;
  world.create_pod("p", {.run_seconds = "2"});
  world.settle();
  world.api->lost = true;
  world.pass_seconds(30);
  EXPECT_EQ(world.phase("p"), "Running");
  world.create_pod("q", {.run_seconds = "1"});
  world.api->lost = false;
  world.pass_seconds(60);
  EXPECT_EQ(world.phase("p"), "Succeeded");
  EXPECT_EQ(world.phase("q"), "Succeeded");
}

TEST(Conflict, a_status_that_lost_a_race_is_written_on_the_newest_object) {
  AgentWorld world;
  world.create_pod("p", {.run_seconds = "0.05"});
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(
        world.server.try_patch(resources::pods, "default", "p",
                               fmt::format(R"({{"metadata":{{"labels":{{"n":"{}"}}}}}})", i)));
    world.server.time.run_for(Span::of_milliseconds(3));
  }
  EXPECT_EQ(world.phase("p"), "Succeeded");
  EXPECT_EQ(world.pod("p")["metadata"]["labels"]["n"].string_or(""), "39");
}

TEST(Conflict, a_pod_that_was_declared_dead_is_stopped) {
  AgentWorld world;
  const Value pod = world.create_pod("p");
  world.settle();
  const Value dead =
      objects::with(world.pod("p"), {"status", "phase"}, Value::string("Failed")).must();
  ASSERT_TRUE(world.server.try_update(resources::pods, dead, "status"));
  world.settle();
  ASSERT_EQ(world.runtime.pods().size(), 1U);
  EXPECT_TRUE(world.runtime.pods()[0].containers[0].is_quiet());
  EXPECT_EQ(world.phase("p"), "Failed");
}

}  // namespace

}  // namespace muster::agent
