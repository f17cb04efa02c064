// run_provisioning_request: the autoscaler's part, where there is none: whether the nodes that are
// there have room for all pods of a request of the class check-capacity.autoscaling.x-k8s.io. What
// others were given and has no pod yet is not there any more. A request of another class is told
// that nobody serves it.
//
//   (new) ──► Accepted ──► Provisioned=True, for ten minutes ──► BookingExpired
//                     └──► Provisioned=False until there is room (parameter noRetry: Failed)
//
//   auto step = run_provisioning_request({.request = request, .templates = its, …});
//
// Assumes: `pods` are all that have a node; embedded only. Look again when a node or a pod changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/instant.h"
#include "core/edit.h"
#include "objects/value.h"

namespace muster::core {

struct ObservedRequest {
  objects::Value request;
  std::span<const objects::Value> templates = {};  // PodTemplates of all namespaces
  std::span<const objects::Value> others = {};     // requests, itself may be among them
  std::span<const objects::Value> nodes = {};
  std::span<const objects::Value> pods = {};
  Instant now = {};
};

struct RequestStep {
  std::vector<Edit> edits = {};
  std::optional<Instant> look_again = {};
};

RequestStep run_provisioning_request(const ObservedRequest& given);

// The request was given its capacity, and holds it.
bool is_booked(objects::View request);

}  // namespace muster::core
