// SPDX-License-Identifier: Apache-2.0
#include "agent/container_turn.h"

#include <algorithm>

#include "agent/downward.h"

namespace muster::agent {

namespace {

using objects::View;
using Phase = ContainerState::Phase;

const ContainerState* state_of(const PodState& state, std::string_view name) {
  for (const ContainerState& each : state.containers) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

bool is_wanted_again(std::string_view policy, int exit_code) {
  return policy == "Always" || (policy == "OnFailure" && exit_code != 0);
}

bool has_code(View rule, int exit_code) {
  const View codes = rule["exitCodes"];
  bool is_listed = false;
  for (View each : codes["values"].elements()) {
    is_listed = is_listed || each.integer_or(-1) == exit_code;
  }
  return codes["operator"].string_or("In") == "In" ? is_listed : !is_listed;
}

// A container that ran before is through the door: its restarts do not hold the others back.
bool has_begun(const ContainerState& state) {
  return state.phase != Phase::waiting || state.attempt > 0;
}

}  // namespace

ContainerRole role_of_init(View container) {
  const bool is_sidecar = container["restartPolicy"].string_or("") == "Always";
  return is_sidecar ? ContainerRole::sidecar : ContainerRole::init;
}

ContainerRole role_of(View pod, std::string_view container) {
  for (View each : pod["spec"]["initContainers"].elements()) {
    if (each["name"].string_or("") == container) return role_of_init(each);
  }
  return ContainerRole::main;
}

bool is_restarted(View pod, const ContainerState& ended) {
  const View container = container_named(pod, ended.name);
  const ContainerRole role = role_of(pod, ended.name);
  if (role == ContainerRole::sidecar) return true;
  if (role == ContainerRole::init && ended.exit_code == 0) return false;
  if (const auto own = container["restartPolicy"].string()) {
    for (View rule : container["restartPolicyRules"].elements()) {
      if (rule["action"].string_or("") == "Restart" && has_code(rule, ended.exit_code)) return true;
    }
    return is_wanted_again(*own, ended.exit_code);
  }
  return is_wanted_again(pod["spec"]["restartPolicy"].string_or("Always"), ended.exit_code);
}

ContainerTurn turn_of(View pod, const PodState& state, const HasStarted& has_started) {
  ContainerTurn turn;
  const View mains = pod["spec"]["containers"];
  bool have_mains_begun = false;
  turn.are_mains_done = true;
  for (View each : mains.elements()) {
    const ContainerState* main = state_of(state, each["name"].string_or(""));
    if (main == nullptr) {
      turn.are_mains_done = false;
      continue;
    }
    have_mains_begun = have_mains_begun || has_begun(*main) || !main->is_held();
    const bool is_done = main->phase == Phase::exited && !is_restarted(pod, *main);
    turn.are_mains_done = turn.are_mains_done && is_done;
  }
  turn.is_initialized = true;
  for (View each : pod["spec"]["initContainers"].elements()) {
    const std::string name(each["name"].string_or(""));
    const ContainerState* init = state_of(state, name);
    if (init == nullptr || have_mains_begun) continue;
    if (init->is_held()) turn.run.push_back(name);
    const bool is_through = role_of_init(each) == ContainerRole::sidecar
                                ? init->phase == Phase::running && has_started(name)
                                : init->phase == Phase::exited && init->exit_code == 0;
    if (is_through) continue;
    turn.has_failed_init = init->phase == Phase::exited && !is_restarted(pod, *init);
    turn.is_initialized = false;
    return turn;
  }
  for (View each : mains.elements()) {
    const ContainerState* main = state_of(state, each["name"].string_or(""));
    if (main != nullptr && main->is_held()) turn.run.push_back(main->name);
  }
  return turn;
}

}  // namespace muster::agent
