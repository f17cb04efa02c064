// ResourceList: amounts by name, as objects of the core group have them, and what a pod asks for in
// total. Exact, at any size (base/quantity.h).
//
//   ResourceList asked = pod_requests(pod["spec"], Overhead::counted);
//
// Assumes: values were validated; one that is no quantity is left out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "objects/builder.h"
#include "objects/value.h"

namespace muster::server {

using ResourceList = std::map<std::string, Quantity, std::less<>>;

ResourceList resource_list_of(objects::View list);
objects::Node node_of(const ResourceList& list, objects::Builder& builder);

void add(ResourceList& to, const ResourceList& more);
void take_larger(ResourceList& to, const ResourceList& other);

// Zero where there is none.
Quantity amount_of(const ResourceList& list, std::string_view name);

// The containers together, or an init container with the sidecars before it where that is more;
// cpu and memory of the pod itself where it says so. Quota counts the overhead, limit ranges do
// not.
enum class Overhead : std::uint8_t { ignored, counted };
ResourceList pod_requests(objects::View spec, Overhead overhead);
ResourceList pod_limits(objects::View spec, Overhead overhead);

// `cpu=1,memory=2Gi`
std::string to_text(const ResourceList& list);

}  // namespace muster::server
