// run_endpoints: what kube-controller-manager does for a Service with a selector: an Endpoints
// object and EndpointSlices that say where its pods are, and which of them are ready. Pure and
// level-triggered. Embedded only.
//
//   auto step = run_endpoints({.service = service, .pods = of_its_namespace, .endpoints = …});
//
// Assumes: a Service without a selector keeps what others wrote for it. Pods have their address in
// status.podIP.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/lifecycle/run_replica_set.h"
#include "objects/value.h"

namespace muster::core {

struct EndpointsObserved {
  objects::Value service;
  std::span<const objects::Value> pods;    // of its namespace
  objects::Value endpoints;                // of its name; absent: there are none
  std::span<const objects::Value> slices;  // that it controls
};

// Whether the Service has a selector, and it selects a pod with these labels.
bool selects(objects::View service, objects::View labels);

ReplicaStep run_endpoints(const EndpointsObserved& observed);

}  // namespace muster::core
