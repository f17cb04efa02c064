// Machine: where pods run. It has its own executor and survives the death of the platform, as
// processes do; it may die itself, and then everything on it is gone. Its runtime pretends, and
// tells a listener of everything that is to be started, before it is.
//
//   Machine machine(time, clock, nodes);
//   machine.on_start = [&](const agent::PodSpec& pod) { … };
//   machine.power_off();
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/node_options.h"
#include "agent/pretend_runtime.h"
#include "simulator/virtual_time.h"

namespace muster::simulator {

class Machine final : public agent::PodRuntime {
 public:
  struct Task {
    std::string node;
    objects::Value pod;
    agent::PodState state;
  };

  Machine(VirtualTime& time, const Clock& clock, std::string name_in,
          std::vector<agent::NodeOptions> nodes_in)
      : name(std::move(name_in)),
        nodes(std::move(nodes_in)),
        executor_(time),
        runtime_(executor_, clock) {
    runtime_.set_listener([this](const agent::PodState& state) { on_state(state); });
  }

  void set_listener(Listener listener) override { listener_ = std::move(listener); }
  void adopt(Adopted adopted) override { runtime_.adopt(std::move(adopted)); }
  void start(agent::PodSpec spec) override {
    if (on_start) on_start(spec);
    at_work_.try_emplace(spec.uid, Task{spec.node, spec.pod, {.uid = spec.uid, .containers = {}}});
    runtime_.start(std::move(spec));
  }
  void run(std::string_view uid, std::string_view container) override {
    runtime_.run(uid, container);
  }
  void stop_container(std::string_view uid, std::string_view container, Span grace) override {
    runtime_.stop_container(uid, container, grace);
  }
  void act(std::string_view uid, std::string_view container, agent::ContainerAct act,
           Acted acted) override {
    runtime_.act(uid, container, std::move(act), std::move(acted));
  }
  void stop(std::string_view uid, Span grace) override { runtime_.stop(uid, grace); }
  void remove(std::string_view uid) override {
    runtime_.remove(uid);
    const auto task = at_work_.find(uid);
    if (task != at_work_.end()) at_work_.erase(task);
  }

  // The processes of a pod are killed by somebody else.
  void end_by_force(std::string_view uid) { runtime_.stop(uid, Span{}); }

  // Everything that ran is gone, and nobody hears of it.
  void power_off() {
    is_on = false;
    runtime_.lose_everything();
    at_work_.clear();
  }
  void power_on() { is_on = true; }

  const agent::PretendRuntime& runtime() const { return runtime_; }

  // What was started and has not ended, by uid.
  const std::map<std::string, Task, std::less<>>& at_work() const { return at_work_; }

  const std::string name;
  const std::vector<agent::NodeOptions> nodes;
  bool is_on = true;
  std::function<void(const agent::PodSpec&)> on_start;

 private:
  void on_state(const agent::PodState& state) {
    const auto task = at_work_.find(state.uid);
    if (task != at_work_.end()) {
      task->second.state = state;
      if (std::ranges::all_of(state.containers, &agent::ContainerState::is_quiet)) {
        at_work_.erase(task);
      }
    }
    if (listener_) listener_(state);
  }

  VirtualExecutor executor_;
  agent::PretendRuntime runtime_;
  Listener listener_;
  std::map<std::string, Task, std::less<>> at_work_;
};

}  // namespace muster::simulator
