// A pod whose containers share their processes, with real processes.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "agent/end_pods.h"
#include "agent/host_runtime.h"
#include "agent/pod_folder.h"
#include "agent/shim.h"
#include "base/os/control_group.h"
#include "base/os/folders.h"
#include "objects/yaml.h"
#include "tests/suites/host_world.h"

namespace muster::suites {
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PodRuntimeSuite);
}

namespace muster::agent {
namespace {

using suites::HostWorld;
using ::testing::HasSubstr;
using ::testing::Not;
using Phase = ContainerState::Phase;

class SharedProcessesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!suites::machine_has_namespaces()) GTEST_SKIP() << "this machine permits no namespaces";
    if (!ControlGroups::find().limits_processes()) GTEST_SKIP() << "no control groups here";
    world_ = std::make_unique<HostWorld>();
    listen();
  }

  void listen() {
    world_->runtime().set_listener([this](const PodState& state) { states_[state.uid] = state; });
    bool adopted = false;
    world_->runtime().adopt([&](const Result<std::vector<PodState>>&) { adopted = true; });
    ASSERT_TRUE(world_->run_until([&] { return adopted; }));
  }

  PodSpec pod_of_two(const std::string& first, const std::string& second) {
    PodSpec spec = world_->pod({"sh", "-c", first});
    spec.pod = objects::parse_yaml_document("spec: {shareProcessNamespace: true}").must();
    spec.containers.push_back(
        {.name = "other", .image = "image", .arguments = {"sh", "-c", second}});
    return spec;
  }

  bool reaches(const std::string& uid, std::size_t container, Phase phase) {
    return world_->run_until([&] {
      const auto found = states_.find(uid);
      return found != states_.end() && found->second.containers.at(container).phase == phase;
    });
  }

  std::string log_of(const PodSpec& spec, const std::string& container) const {
    return suites::contents_of(
        pod_folder::log_path(world_->options().pods_folder + "/" + spec.uid, container, 0));
  }

  std::unique_ptr<HostWorld> world_;
  std::map<std::string, PodState> states_;
};

TEST_F(SharedProcessesTest, a_container_sees_those_of_the_other_and_can_end_them) {
  const PodSpec spec = pod_of_two(
      "while ! p=$(pgrep -x sleep); do sleep 0.01; done; kill $p; readlink /proc/1/root || echo "
      "closed",
      "sleep 1000; echo ended");
  world_->runtime().start(spec);
  ASSERT_TRUE(reaches(spec.uid, 0, Phase::exited));
  ASSERT_TRUE(reaches(spec.uid, 1, Phase::exited));
  EXPECT_THAT(log_of(spec, "other"), HasSubstr("ended"));
  EXPECT_THAT(log_of(spec, "main"), HasSubstr("closed"));
}

TEST_F(SharedProcessesTest, what_a_container_leaves_behind_ends_with_it) {
  const PodSpec spec =
      pod_of_two("(setsid sleep 1000 &); exit 0",
                 "while [ ! -e /workspace/look ]; do sleep 0.01; done; pgrep -a sleep");
  world_->runtime().start(spec);
  ASSERT_TRUE(reaches(spec.uid, 0, Phase::exited));
  const std::string workspace =
      pod_folder::workspace_path(world_->options().pods_folder + "/" + spec.uid);
  replace_file(workspace + "/look", "", Durable::no).must();
  ASSERT_TRUE(reaches(spec.uid, 1, Phase::exited));
  EXPECT_THAT(log_of(spec, "other"), Not(HasSubstr("sleep 1000")));
}

TEST_F(SharedProcessesTest, a_container_runs_again_among_the_others) {
  const PodSpec spec = pod_of_two("exit 1", "sleep 1000");
  world_->runtime().start(spec);
  ASSERT_TRUE(reaches(spec.uid, 0, Phase::exited));
  ASSERT_TRUE(reaches(spec.uid, 1, Phase::running));
  world_->runtime().run(spec.uid, "main");
  ASSERT_TRUE(world_->run_until([&] {
    const ContainerState& again = states_[spec.uid].containers.front();
    return again.attempt == 1 && again.phase == Phase::exited;
  }));
  EXPECT_EQ(states_[spec.uid].containers[0].exit_code, 1);
  EXPECT_EQ(states_[spec.uid].containers[1].phase, Phase::running);
}

TEST_F(SharedProcessesTest, nothing_of_a_pod_is_left_when_the_platform_ends_it) {
  const PodSpec spec = pod_of_two("sleep 1000", "sleep 1000");
  world_->runtime().start(spec);
  ASSERT_TRUE(reaches(spec.uid, 0, Phase::running));
  ASSERT_TRUE(reaches(spec.uid, 1, Phase::running));
  world_->go_down();
  EXPECT_EQ(end_all_pods(world_->options().pods_folder).value(), 1U);
  for (const char* container : {"main", "other"}) {
    const ControlGroup group = ControlGroups::find().named(shim_group_name(spec.uid, container));
    EXPECT_FALSE(group.join()) << "its control group is still there";
  }
  world_->come_up();
  listen();
}

}  // namespace
}  // namespace muster::agent
