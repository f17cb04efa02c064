// Everything at once, by seed: pods come and go while the agent dies, answers are lost and the
// connection breaks. At the end the runtime has exactly what the API says, and nothing ran twice.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "agent/node_logs.h"
#include "simulator/virtual_disk.h"
#include "tests/agent/agent_world.h"

namespace muster::agent {

namespace {

class Storm {
 public:
  explicit Storm(std::uint64_t seed) : random_(seed) {}

  void run(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      act();
      world_.server.time.run_for(
          Span::of_milliseconds(static_cast<std::int64_t>(random_.below(400))));
      check_runs();
    }
    calm_down();
  }

 private:
  void act() {
    switch (random_.below(9)) {
      case 0:
      case 1:
      case 2:
        return create();
      case 3:
        return remove({});
      case 4:
        return remove(0);
      case 5:
        return world_.kill_agent(), world_.start_agent();
      case 6:
        world_.api->lost_call = world_.api->calls + 1 + random_.below(5);
        world_.api->arrives_all_the_same = random_.one_in(2);
        return;
      case 7:
        world_.api->lost = !world_.api->lost;
        return;
      default:
        world_.server.clock.jump_wall(
            Span::of_seconds(static_cast<std::int64_t>(random_.below(600)) - 300));
    }
  }

  void create() {
    const std::string name = fmt::format("p{}", random_.below(6));
    if (world_.exists(name)) return;
    PodWish wish;
    if (random_.one_in(2)) wish.run_seconds = "0.3";
    if (random_.one_in(4)) wish.exit_code = "1";
    if (random_.one_in(3)) wish.node = "n2";
    if (random_.one_in(4)) wish.annotations = R"(,"muster.dev/pretend-ignores-sigterm":"true")";
    if (random_.one_in(5)) wish.restart_policy = "OnFailure";
    const Value pod = world_.create_pod(name, wish);
    if (wish.restart_policy == "Never") never_.insert(std::string(objects::uid_of(pod)));
  }

  void remove(std::optional<std::int64_t> grace) {
    const std::string name = fmt::format("p{}", random_.below(6));
    if (world_.exists(name)) world_.delete_pod(name, grace);
  }

  void check_runs() {
    for (const std::string& uid : never_) ASSERT_LE(world_.runtime.runs_of(uid), 1U);
  }

  // The connection is back and everybody has had time: what should be, is.
  void calm_down() {
    world_.api->lost = false;
    world_.pass_seconds(120);
    check_runs();
    std::map<std::string, bool> running;
    for (const PodState& state : world_.runtime.pods()) {
      running[state.uid] = !state.containers[0].is_quiet();
    }
    const Value list = world_.server.list(resources::pods, "default");
    for (View pod : list["items"].elements()) {
      const std::string uid(objects::uid_of(pod));
      EXPECT_FALSE(objects::is_being_deleted(pod)) << objects::name_of(pod);
      ASSERT_TRUE(running.contains(uid)) << objects::name_of(pod);
      const bool is_over = is_terminal(pod);
      if (pod["spec"]["restartPolicy"].string_or("") == "Never") {
        EXPECT_EQ(running[uid], !is_over) << objects::name_of(pod);
      }
      running.erase(uid);
    }
    EXPECT_TRUE(running.empty());
  }

  AgentWorld world_;
  simulator::SeededRandom random_;
  std::set<std::string> never_;
};

TEST(NodeAgentStorm, leaves_the_machine_as_the_api_says) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Storm(seed).run(60);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(NodeLogs, a_pretend_pod_has_a_line_of_log) {
  AgentWorld world;
  simulator::VirtualDisk disk(world.server.time, 1);
  const NodeLogs logs(*world.agent, disk,
                      {world.server.house, world.server.clock, world.server.random}, world.runtime);
  const Value pod = world.create_pod("p", {.run_seconds = "2"});
  const std::string uid(objects::uid_of(pod));
  const auto early = logs.open({.pod_uid = uid, .container = "main"});
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().message,
            "container \"main\" in pod \"p\" is waiting to start: ContainerCreating");
  world.settle();
  EXPECT_TRUE(logs.has(uid));
  EXPECT_FALSE(logs.open({.pod_uid = uid, .container = "main", .previous = true}));
  auto log = logs.open({.pod_uid = uid, .container = "main", .follow = true}).must();
  world.settle();
  LogFollower::Step step = log->take(1000);
  EXPECT_EQ(step.text, "a pretend container: no process, runs 2 s\n");
  EXPECT_FALSE(step.ended);
  world.pass_seconds(3);
  step = log->take(1000);
  EXPECT_TRUE(step.ended);
}

}  // namespace

}  // namespace muster::agent
