// pod_requests: what one pod asks of a node, as Kubernetes adds it up: the containers together, or
// the largest step of the init containers (with the sidecars started before it), whichever is more;
// requests of the pod as a whole instead of those sums; plus the overhead.
//
//   Amounts each = TRY(pod_requests(pod["spec"], names));      // a limit without a request is one
//
//   PodSpecResources spec = TRY(read_pod_resources(pod["spec"], names));   // or step by step
//   ResourceQuantities sum = total_requests(spec);
//
// Assumes: sums are exact, in quantities, and rounded once, when they become amounts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "core/model/resource_names.h"
#include "objects/value.h"

namespace muster::core {

// A resource list with exact quantities.
struct ResourceQuantity {
  ResourceId resource;
  Quantity quantity;
};
using ResourceQuantities = std::vector<ResourceQuantity>;

Result<ResourceQuantities> read_quantities(objects::View list, ResourceNames& names);
const Quantity* quantity_of(const ResourceQuantities& list, ResourceId resource);

// What both have is added; what only `more` has comes along.
void add_quantities(ResourceQuantities& sum, const ResourceQuantities& more);
// What `into` does not have comes from `other`.
void fill_in(ResourceQuantities& into, const ResourceQuantities& other);
void keep_greater(ResourceQuantities& into, const ResourceQuantities& other);
void keep_smaller(ResourceQuantities& into, const ResourceQuantities& other);

// Thousandths of a cpu, whole units of all else, rounded up, stopping at the ends of int64.
std::int64_t amount_from(std::string_view resource, const Quantity& quantity);
Amounts amounts_from(const ResourceQuantities& list, const ResourceNames& names);

struct ContainerResources {
  ResourceQuantities requests = {};
  ResourceQuantities limits = {};
  bool is_sidecar = false;  // an init container that stays
};

struct PodSpecResources {
  std::vector<ContainerResources> init_containers = {};
  std::vector<ContainerResources> containers = {};
  bool has_pod_level = false;  // spec.resources is there
  ContainerResources pod_level = {};
  ResourceQuantities overhead = {};
};

Result<PodSpecResources> read_pod_resources(objects::View pod_spec, ResourceNames& names);

// A limit without a request becomes the request.
void use_limits_as_requests(PodSpecResources& spec);

ResourceQuantities total_requests(const PodSpecResources& spec, const ResourceNames& names);

Result<Amounts> pod_requests(objects::View pod_spec, ResourceNames& names);

}  // namespace muster::core
