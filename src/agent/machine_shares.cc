// SPDX-License-Identifier: Apache-2.0
#include "agent/machine_shares.h"

#include <algorithm>

namespace muster::agent {

namespace {

constexpr const char* shared_memory = "/dev/shm";

// A volume of its own in that place is what it asks for more precisely.
void share_memory(ContainerSpec& container) {
  const bool has_own = std::any_of(container.mounts.begin(), container.mounts.end(),
                                   [](const Mount& each) { return each.target == shared_memory; });
  if (has_own) return;
  container.mounts.push_back({.source = shared_memory, .target = shared_memory});
}

}  // namespace

void share_with_machine(ShimSpec& shim) {
  const objects::View spec = shim.pod.pod["spec"];
  // On the machine's own network it has neither a bridge nor a cable.
  if (spec["hostNetwork"].boolean_or(false)) shim.network.bridge.clear();
  if (spec["shareProcessNamespace"].boolean_or(false)) shim.processes = ProcessSharing::pod;
  if (spec["hostPID"].boolean_or(false)) shim.processes = ProcessSharing::machine;
  if (!spec["hostIPC"].boolean_or(false)) return;
  shim.own_ipc = false;
  for (ContainerSpec& container : shim.pod.containers) share_memory(container);
}

}  // namespace muster::agent
