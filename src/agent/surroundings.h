// Surroundings: what a pod's specification refers to beyond the pod itself, gathered before it is
// started: its node, its address, the ConfigMaps it names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "agent/node_options.h"
#include "objects/value.h"

namespace muster::agent {

struct Surroundings {
  const NodeOptions& node;
  std::string address = {};  // of the pod
  // Those of the pod's namespace that the pod names and that exist.
  std::map<std::string, objects::Value, std::less<>> config_maps = {};
};

}  // namespace muster::agent
