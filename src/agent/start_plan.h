// StartPlan: everything that must be true and written before a pod is started, made from the pod
// and its surroundings; or the reason why it cannot be started as it is.
//
//   const auto plan = plan_start(pod, surroundings, members, options);
//   if (const auto* refusal = std::get_if<StartRefusal>(&plan)) …
//
// Nothing is silently ignored: what this node cannot do is a refusal where the pod would be wrong
// without it (another kind of volume, init containers), and stands in ignored_fields()
// (agent/ignored_fields.h) where the pod runs without it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "agent/pod_runtime.h"
#include "agent/surroundings.h"
#include "agent/volumes.h"
#include "objects/value.h"

namespace muster::agent {

// How containers of this agent find names and where their files lie.
struct PodDefaults {
  std::string name_server = {};  // address of the DNS responder; empty: none
  std::string cluster_domain = "cluster.local";
  std::string pods_folder = "pods";          // each pod has a folder of its uid in it
  std::vector<std::string> host_paths = {};  // folders that hostPath volumes may lie in
  std::string search_path = {};  // PATH of containers that set none; empty: the runtime's
};

struct StartPlan {
  PodSpec spec;
  std::vector<VolumeContents> volumes;
};

struct StartRefusal {
  std::string reason;  // of the waiting containers: "CreateContainerConfigError", "NotSupported"
  std::string message;
  std::string event_reason;  // "Failed", "FailedMount"

  friend bool operator==(const StartRefusal&, const StartRefusal&) = default;
};

std::variant<StartPlan, StartRefusal> plan_start(const objects::Value& pod,
                                                 const Surroundings& surroundings,
                                                 std::span<const objects::Value> members,
                                                 const PodDefaults& defaults);

}  // namespace muster::agent
