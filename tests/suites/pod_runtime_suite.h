// What every PodRuntime promises. A world is a runtime, a way to write down pods for it, a way to
// let time pass, and the end of the platform that leaves the pods alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/pod_runtime.h"
#include "base/unique_function.h"

namespace muster::suites {

enum class PodProgram : std::uint8_t {
  succeeds,         // exits with 0 at once
  fails,            // exits with 3 at once
  runs_on,          // until SIGTERM, then exits with 143
  ignores_sigterm,  // until SIGKILL
  has_no_image,     // its image is not to be had
  cannot_start,     // there is no such program
};

class PodRuntimeWorld {
 public:
  virtual ~PodRuntimeWorld() = default;
  virtual agent::PodRuntime& runtime() = 0;

  // A pod of one container, "main". No two calls give the same uid.
  virtual agent::PodSpec spec(PodProgram program) = 0;

  // False when it does not come about within a generous time.
  virtual bool run_until(UniqueFunction<bool()> condition) = 0;

  // Runs what is due and a little more: for what must not happen.
  virtual void settle() = 0;

  // The platform dies without a word and comes back: runtime() is as a new process finds it.
  virtual void restart_platform() = 0;
};

using PodRuntimeWorldFactory = std::unique_ptr<PodRuntimeWorld> (*)();

class PodRuntimeSuite : public ::testing::TestWithParam<PodRuntimeWorldFactory> {
 protected:
  using Phase = agent::ContainerState::Phase;

  void SetUp() override { listen(); }

  void listen() {
    world_->runtime().set_listener(
        [this](const agent::PodState& state) { heard_[state.uid].push_back(state); });
    world_->runtime().adopt(
        [this](Result<std::vector<agent::PodState>> found) { adopted_ = std::move(found).must(); });
    EXPECT_TRUE(world_->run_until([this] { return adopted_.has_value(); }));
  }

  void restart_platform() {
    world_->runtime().set_listener({});
    world_->restart_platform();
    heard_.clear();
    adopted_.reset();
    listen();
  }

  std::string start(PodProgram program) {
    agent::PodSpec spec = world_->spec(program);
    std::string uid = spec.uid;
    world_->runtime().start(std::move(spec));
    return uid;
  }

  // The container as it was last heard of.
  agent::ContainerState last(const std::string& uid) const {
    const auto at = heard_.find(uid);
    if (at == heard_.end() || at->second.back().containers.size() != 1) return {};
    return at->second.back().containers.front();
  }

  // Of one container among several, as it was last heard of.
  Phase phase(const std::string& uid, const std::string& container) const {
    const auto at = heard_.find(uid);
    if (at == heard_.end()) return Phase::waiting;
    for (const agent::ContainerState& each : at->second.back().containers) {
      if (each.name == container) return each.phase;
    }
    return Phase::waiting;
  }

  bool reaches(const std::string& uid, Phase phase) {
    return world_->run_until([this, uid, phase] { return last(uid).phase == phase; });
  }

  const agent::PodState* adopted(const std::string& uid) const {
    for (const agent::PodState& state : *adopted_) {
      if (state.uid == uid) return &state;
    }
    return nullptr;
  }

  std::map<std::string, std::vector<agent::PodState>> heard_;
  std::optional<std::vector<agent::PodState>> adopted_;
  std::unique_ptr<PodRuntimeWorld> world_ = GetParam()();
};

TEST_P(PodRuntimeSuite, a_program_runs_and_its_success_is_told) {
  const std::string uid = start(PodProgram::succeeds);
  ASSERT_TRUE(reaches(uid, Phase::exited));
  const agent::ContainerState end = last(uid);
  EXPECT_EQ(end.name, "main");
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.reason, "Completed");
  EXPECT_GT(end.started, Instant{});
  EXPECT_GE(end.finished, end.started);
}

TEST_P(PodRuntimeSuite, a_program_that_fails_has_its_exit_code) {
  const std::string uid = start(PodProgram::fails);
  ASSERT_TRUE(reaches(uid, Phase::exited));
  EXPECT_EQ(last(uid).exit_code, 3);
  EXPECT_EQ(last(uid).reason, "Error");
}

TEST_P(PodRuntimeSuite, nothing_is_told_from_inside_start) {
  const std::string uid = start(PodProgram::has_no_image);
  EXPECT_TRUE(heard_.empty());
}

TEST_P(PodRuntimeSuite, a_running_program_is_told) {
  const std::string uid = start(PodProgram::runs_on);
  ASSERT_TRUE(reaches(uid, Phase::running));
  world_->settle();
  EXPECT_EQ(last(uid).phase, Phase::running);
  EXPECT_GT(last(uid).started, Instant{});
  world_->runtime().remove(uid);
}

TEST_P(PodRuntimeSuite, started_twice_it_runs_once) {
  const agent::PodSpec spec = world_->spec(PodProgram::runs_on);
  world_->runtime().start(spec);
  world_->runtime().start(spec);
  ASSERT_TRUE(reaches(spec.uid, Phase::running));
  const Instant started = last(spec.uid).started;
  world_->runtime().start(spec);
  world_->settle();
  EXPECT_EQ(last(spec.uid).started, started);
  world_->runtime().remove(spec.uid);
}

TEST_P(PodRuntimeSuite, what_has_ended_is_not_started_again) {
  const agent::PodSpec spec = world_->spec(PodProgram::succeeds);
  world_->runtime().start(spec);
  ASSERT_TRUE(reaches(spec.uid, Phase::exited));
  const agent::ContainerState end = last(spec.uid);
  world_->runtime().start(spec);
  world_->settle();
  EXPECT_EQ(last(spec.uid), end);
}

TEST_P(PodRuntimeSuite, stop_asks_first) {
  const std::string uid = start(PodProgram::runs_on);
  ASSERT_TRUE(reaches(uid, Phase::running));
  world_->runtime().stop(uid, Span::of_seconds(30));
  ASSERT_TRUE(reaches(uid, Phase::exited));
  EXPECT_EQ(last(uid).exit_code, 143);
}

TEST_P(PodRuntimeSuite, what_does_not_listen_is_killed_after_its_grace) {
  const std::string uid = start(PodProgram::ignores_sigterm);
  ASSERT_TRUE(reaches(uid, Phase::running));
  world_->runtime().stop(uid, Span::of_seconds(1));
  ASSERT_TRUE(reaches(uid, Phase::exited));
  EXPECT_EQ(last(uid).exit_code, 137);
  EXPECT_GE(last(uid).finished - last(uid).started, Span::of_milliseconds(900));
}

TEST_P(PodRuntimeSuite, a_second_stop_may_shorten_the_grace) {
  const std::string uid = start(PodProgram::ignores_sigterm);
  ASSERT_TRUE(reaches(uid, Phase::running));
  world_->runtime().stop(uid, Span::of_seconds(100'000));
  world_->runtime().stop(uid, Span{});
  ASSERT_TRUE(reaches(uid, Phase::exited));
  EXPECT_EQ(last(uid).exit_code, 137);
  EXPECT_LT(last(uid).finished - last(uid).started, Span::of_seconds(50'000));
}

TEST_P(PodRuntimeSuite, a_stop_right_after_the_start_ends_it_too) {
  const std::string uid = start(PodProgram::runs_on);
  world_->runtime().stop(uid, Span{});
  EXPECT_TRUE(
      world_->run_until([this, uid] { return heard_.contains(uid) && last(uid).is_quiet(); }));
}

TEST_P(PodRuntimeSuite, an_ended_container_can_be_run_again) {
  const std::string uid = start(PodProgram::fails);
  ASSERT_TRUE(reaches(uid, Phase::exited));
  EXPECT_EQ(last(uid).attempt, 0);
  world_->runtime().run(uid, "main");
  ASSERT_TRUE(world_->run_until(
      [this, uid] { return last(uid).attempt == 1 && last(uid).phase == Phase::exited; }));
  EXPECT_EQ(last(uid).exit_code, 3);
}

TEST_P(PodRuntimeSuite, a_running_container_is_not_run_again) {
  const std::string uid = start(PodProgram::runs_on);
  ASSERT_TRUE(reaches(uid, Phase::running));
  const Instant started = last(uid).started;
  world_->runtime().run(uid, "main");
  world_->settle();
  EXPECT_EQ(last(uid).started, started);
  EXPECT_EQ(last(uid).attempt, 0);
  world_->runtime().remove(uid);
}

TEST_P(PodRuntimeSuite, a_held_container_waits_until_it_may_run) {
  agent::PodSpec spec = world_->spec(PodProgram::succeeds);
  agent::ContainerSpec second = spec.containers[0];
  spec.containers[0].name = "first";
  second.is_held = true;
  spec.containers.push_back(second);
  const std::string uid = spec.uid;
  world_->runtime().start(spec);
  ASSERT_TRUE(world_->run_until([this, uid] { return phase(uid, "first") == Phase::exited; }));
  world_->settle();
  EXPECT_EQ(phase(uid, "main"), Phase::waiting);
  restart_platform();
  ASSERT_NE(adopted(uid), nullptr);
  EXPECT_TRUE(adopted(uid)->containers[1].is_held());
  world_->runtime().run(uid, "main");
  ASSERT_TRUE(world_->run_until([this, uid] { return phase(uid, "main") == Phase::exited; }));
  EXPECT_EQ(heard_[uid].back().containers[1].attempt, 0);
}

TEST_P(PodRuntimeSuite, what_is_held_when_the_pod_is_stopped_never_runs) {
  agent::PodSpec spec = world_->spec(PodProgram::runs_on);
  agent::ContainerSpec second = spec.containers[0];
  second.name = "second";
  second.is_held = true;
  spec.containers.push_back(second);
  const std::string uid = spec.uid;
  world_->runtime().start(spec);
  ASSERT_TRUE(world_->run_until([this, uid] { return phase(uid, "main") == Phase::running; }));
  world_->runtime().stop(uid, Span::of_seconds(30));
  ASSERT_TRUE(world_->run_until([this, uid] { return phase(uid, "main") == Phase::exited; }));
  world_->runtime().run(uid, "second");
  world_->settle();
  EXPECT_TRUE(heard_[uid].back().containers[1].is_held());
}

TEST_P(PodRuntimeSuite, one_container_is_stopped_and_may_run_again) {
  agent::PodSpec spec = world_->spec(PodProgram::runs_on);
  agent::ContainerSpec second = spec.containers[0];
  second.name = "second";
  spec.containers.push_back(second);
  const std::string uid = spec.uid;
  world_->runtime().start(spec);
  ASSERT_TRUE(world_->run_until([this, uid] {
    return phase(uid, "main") == Phase::running && phase(uid, "second") == Phase::running;
  }));
  world_->runtime().stop_container(uid, "main", Span::of_seconds(30));
  ASSERT_TRUE(world_->run_until([this, uid] { return phase(uid, "main") == Phase::exited; }));
  EXPECT_EQ(phase(uid, "second"), Phase::running);
  world_->runtime().run(uid, "main");
  ASSERT_TRUE(world_->run_until([this, uid] { return phase(uid, "main") == Phase::running; }));
  world_->runtime().remove(uid);
}

TEST_P(PodRuntimeSuite, nothing_is_heard_after_remove) {
  const std::string uid = start(PodProgram::runs_on);
  ASSERT_TRUE(reaches(uid, Phase::running));
  world_->runtime().remove(uid);
  const std::size_t before = heard_[uid].size();
  world_->settle();
  EXPECT_EQ(heard_[uid].size(), before);
}

TEST_P(PodRuntimeSuite, after_remove_the_same_pod_can_be_started_anew) {
  const agent::PodSpec spec = world_->spec(PodProgram::succeeds);
  world_->runtime().start(spec);
  ASSERT_TRUE(reaches(spec.uid, Phase::exited));
  world_->runtime().remove(spec.uid);
  heard_.clear();
  world_->runtime().start(spec);
  EXPECT_TRUE(reaches(spec.uid, Phase::exited));
}

TEST_P(PodRuntimeSuite, the_unknown_is_stopped_restarted_and_removed_in_vain) {
  world_->runtime().stop("nobody", Span{});
  world_->runtime().run("nobody", "main");
  world_->runtime().remove("nobody");
  world_->settle();
  EXPECT_TRUE(heard_.empty());
}

TEST_P(PodRuntimeSuite, an_image_that_is_not_to_be_had_is_a_reason_to_wait) {
  const std::string uid = start(PodProgram::has_no_image);
  ASSERT_TRUE(world_->run_until([this, uid] { return last(uid).reason == "ErrImagePull"; }));
  EXPECT_EQ(last(uid).phase, Phase::waiting);
  EXPECT_FALSE(last(uid).message.empty());
}

TEST_P(PodRuntimeSuite, a_program_that_is_not_there_ends_with_a_reason) {
  const std::string uid = start(PodProgram::cannot_start);
  ASSERT_TRUE(reaches(uid, Phase::exited));
  EXPECT_EQ(last(uid).reason, "StartError");
  EXPECT_NE(last(uid).exit_code, 0);
  EXPECT_FALSE(last(uid).message.empty());
}

TEST_P(PodRuntimeSuite, a_running_pod_survives_the_platform_and_is_found_again) {
  const std::string uid = start(PodProgram::runs_on);
  ASSERT_TRUE(reaches(uid, Phase::running));
  const Instant started = last(uid).started;
  restart_platform();
  const agent::PodState* found = adopted(uid);
  ASSERT_NE(found, nullptr);
  ASSERT_EQ(found->containers.size(), 1U);
  EXPECT_EQ(found->containers[0].phase, Phase::running);
  EXPECT_EQ(found->containers[0].started, started);
  world_->runtime().stop(uid, Span::of_seconds(30));
  ASSERT_TRUE(reaches(uid, Phase::exited));
  EXPECT_EQ(last(uid).exit_code, 143);
}

TEST_P(PodRuntimeSuite, what_ended_is_found_with_its_end) {
  const std::string uid = start(PodProgram::fails);
  ASSERT_TRUE(reaches(uid, Phase::exited));
  const agent::ContainerState end = last(uid);
  restart_platform();
  const agent::PodState* found = adopted(uid);
  ASSERT_NE(found, nullptr);
  ASSERT_EQ(found->containers.size(), 1U);
  EXPECT_EQ(found->containers[0], end);
}

TEST_P(PodRuntimeSuite, what_is_found_again_is_not_started_again) {
  const agent::PodSpec spec = world_->spec(PodProgram::runs_on);
  world_->runtime().start(spec);
  ASSERT_TRUE(reaches(spec.uid, Phase::running));
  const Instant started = last(spec.uid).started;
  restart_platform();
  world_->runtime().start(spec);
  world_->settle();
  ASSERT_NE(adopted(spec.uid), nullptr);
  EXPECT_EQ(adopted(spec.uid)->containers[0].started, started);
  EXPECT_TRUE(!heard_.contains(spec.uid) || last(spec.uid).started == started);
  world_->runtime().remove(spec.uid);
}

TEST_P(PodRuntimeSuite, what_was_removed_is_not_found) {
  const std::string uid = start(PodProgram::runs_on);
  ASSERT_TRUE(reaches(uid, Phase::running));
  world_->runtime().remove(uid);
  world_->settle();
  restart_platform();
  EXPECT_EQ(adopted(uid), nullptr);
}

}  // namespace muster::suites
