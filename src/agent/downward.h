// The downward API: what a pod may ask about itself, as kubelet answers it.
//
//   TRY(field_of(pod, "metadata.labels['app']", surroundings));
//   TRY(resource_field_of(container, reference, node));       // limits.cpu in the divisor's units
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "agent/surroundings.h"
#include "base/result.h"
#include "objects/value.h"

namespace muster::agent {

// `metadata.labels['a']`, `metadata.annotations`, `spec.nodeName`, `status.podIP` …
Result<std::string> field_of(objects::View pod, std::string_view path,
                             const Surroundings& surroundings);

// `limits.cpu` and its like, rounded up; what the node has stands in for a limit that is not set.
Result<std::string> resource_field_of(objects::View container, objects::View reference,
                                      const NodeOptions& node);

// Absent when the pod has none of that name.
objects::View container_named(objects::View pod, std::string_view name);

// What kubelet calls the machine inside the pod: spec.hostname or the pod's name, cut to 63 bytes.
std::string hostname_of(objects::View pod);

}  // namespace muster::agent
