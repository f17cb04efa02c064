// Effective requests: what one pod of a pod set asks of quota and of nodes, as Kueue v0.19.2 counts
// it. The namespace's LimitRanges fill in defaults, limits stand in for missing requests, a
// RuntimeClass adds its overhead, the containers are added up; quota then leaves out excluded
// resources and applies the configured transformations. Nodes (topology) see the pod as it is.
//
//   PodResources pod = TRY(pod_resources(set["template"]["spec"], path, rules, names));
//   pod.requests       // of the pod itself, for topology and nodes
//   pod.effective      // for quota
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/model/configuration.h"
#include "core/model/pod_requests.h"
#include "core/model/resource_names.h"
#include "objects/value.h"

namespace muster::core {

class GangLibrary;

// What the LimitRanges of one namespace say together.
struct LimitSummary {
  struct Limits {
    bool present = false;
    ResourceQuantities default_limits = {};    // the first that says so
    ResourceQuantities default_requests = {};  // the first that says so
    ResourceQuantities max = {};               // the lowest
    ResourceQuantities min = {};               // the highest
  };
  Limits container = {};
  Limits pod = {};
};

// The overheads of RuntimeClasses (overhead.podFixed), by the class's name.
using Overheads = std::map<std::string, ResourceQuantities, std::less<>>;

// What requests depend on beside the pod's template. Each may be absent.
struct RequestRules {
  const Configuration* configuration = nullptr;
  const LimitSummary* limits = nullptr;  // of the workload's namespace
  const Overheads* overheads = nullptr;

  // Gangs that were read by these rules before.
  GangLibrary* library = nullptr;
  std::uint64_t version = 0;
};

struct PodResources {
  Amounts requests;                      // after defaults and overhead; negative amounts as written
  Amounts effective;                     // for quota, never negative
  PodSpecResources spec;                 // after defaults and overhead
  std::vector<std::string> over_limits;  // requests that exceed their limits
  std::vector<std::string> outside_of_range;  // what a LimitRange forbids
};

// `path`: where the template stands, for the sentences: spec.podSets[0].template.spec
Result<PodResources> pod_resources(objects::View pod_spec, std::string_view path,
                                   const RequestRules& rules, ResourceNames& names);

// The message with which a workload waits whose resources are no valid request; empty: they are.
// "resources validation failed: …" or "resources didn't satisfy LimitRange constraints: …"
std::string resources_objection(const std::vector<PodResources>& pod_sets);

}  // namespace muster::core
