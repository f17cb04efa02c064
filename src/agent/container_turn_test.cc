// SPDX-License-Identifier: Apache-2.0
#include "agent/container_turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "objects/json.h"

namespace muster::agent {

namespace {

using objects::Value;
using Phase = ContainerState::Phase;
using testing::ElementsAre;
using testing::IsEmpty;

Value pod(const std::string& policy = "Never") {
  return objects::parse_json(R"({"spec":{"restartPolicy":")" + policy +
                             R"(","initContainers":[{"name":"one"},{"name":"side",)"
                             R"("restartPolicy":"Always"}],"containers":[{"name":"a"},)"
                             R"({"name":"b"}]}})")
      .must();
}

ContainerState held(const std::string& name) {
  return {.name = name, .reason = std::string(held_reason)};
}
ContainerState runs(const std::string& name) {
  return {.name = name, .phase = Phase::running};
}
ContainerState ended(const std::string& name, int code) {
  return {.name = name, .phase = Phase::exited, .exit_code = code};
}

ContainerTurn turn(const Value& pod, std::vector<ContainerState> containers, bool started = true) {
  return turn_of(pod, {.uid = "u", .containers = std::move(containers)},
                 [started](const std::string&) { return started; });
}

TEST(ContainerTurn, one_init_container_after_the_other) {
  EXPECT_THAT(turn(pod(), {runs("one"), held("side"), held("a"), held("b")}).run, IsEmpty());
  EXPECT_THAT(turn(pod(), {ended("one", 0), held("side"), held("a"), held("b")}).run,
              ElementsAre("side"));
}

TEST(ContainerTurn, a_sidecar_lets_the_next_go_when_it_has_started) {
  const std::vector<ContainerState> all = {ended("one", 0), runs("side"), held("a"), held("b")};
  EXPECT_THAT(turn(pod(), all, false).run, IsEmpty());
  EXPECT_THAT(turn(pod(), all, true).run, ElementsAre("a", "b"));
}

TEST(ContainerTurn, a_failed_init_container_fails_the_pod_unless_it_runs_again) {
  const std::vector<ContainerState> all = {ended("one", 3), held("side"), held("a"), held("b")};
  EXPECT_TRUE(turn(pod("Never"), all).has_failed_init);
  EXPECT_FALSE(turn(pod("OnFailure"), all).has_failed_init);
  EXPECT_FALSE(turn(pod("Always"), all).has_failed_init);
}

TEST(ContainerTurn, a_sidecar_that_restarts_holds_nobody_back_later) {
  const ContainerTurn later =
      turn(pod("Always"), {ended("one", 0), ended("side", 1), runs("a"), runs("b")}, false);
  EXPECT_TRUE(later.is_initialized);
  EXPECT_THAT(later.run, IsEmpty());
}

TEST(ContainerTurn, main_containers_are_done_when_none_runs_again) {
  EXPECT_FALSE(
      turn(pod(), {ended("one", 0), runs("side"), ended("a", 0), runs("b")}).are_mains_done);
  EXPECT_TRUE(
      turn(pod(), {ended("one", 0), runs("side"), ended("a", 0), ended("b", 1)}).are_mains_done);
  EXPECT_FALSE(turn(pod("OnFailure"), {ended("one", 0), runs("side"), ended("a", 0), ended("b", 1)})
                   .are_mains_done);
}

TEST(ContainerTurn, a_container_has_rules_of_its_own) {
  const Value own =
      objects::parse_json(R"({"spec":{"restartPolicy":"Never","containers":[{"name":"a",)"
                          R"("restartPolicy":"Never","restartPolicyRules":[{"action":"Restart",)"
                          R"("exitCodes":{"operator":"In","values":[42]}}]}]}})")
          .must();
  EXPECT_TRUE(is_restarted(own, ended("a", 42)));
  EXPECT_FALSE(is_restarted(own, ended("a", 1)));
}

}  // namespace

}  // namespace muster::agent
