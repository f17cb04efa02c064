// Whose turn it is among the containers of a pod: init containers one after the other, sidecars
// (init containers that are always restarted) as soon as they have started, then all main
// containers; and what the ends of containers mean for the pod. Pure.
//
//   const ContainerTurn turn = turn_of(pod, state, [&](auto& name) { return has_started(name); });
//   for (const std::string& name : turn.run) runtime.run(uid, name);
//
//   init 1 ─► init 2 ─► sidecar runs and has started ─► init 3 ─► main a, main b ─► all done
//      └── failed, not to be run again: the pod has failed           sidecars are stopped ◄┘
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/pod_runtime.h"
#include "objects/value.h"

namespace muster::agent {

struct ContainerTurn {
  std::vector<std::string> run;  // held containers that may start now
  bool is_initialized = false;   // its main containers may run
  bool has_failed_init = false;  // an init container has failed for good
  bool are_mains_done = false;   // every main container has ended for good
};

// Whether a running container counts as started: its startup probe and its first hook are through.
using HasStarted = std::function<bool(const std::string& container)>;

ContainerTurn turn_of(objects::View pod, const PodState& state, const HasStarted& has_started);

// main for a name that the pod does not have.
ContainerRole role_of(objects::View pod, std::string_view container);
ContainerRole role_of_init(objects::View container);

// Whether an ended container is to run again, by its own rules or those of its pod.
bool is_restarted(objects::View pod, const ContainerState& ended);

}  // namespace muster::agent
