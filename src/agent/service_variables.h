// The variables by which a container is told of Services, as kubelet makes them:
// KUBERNETES_SERVICE_ HOST and _PORT, which in-cluster clients read, and those of the Services in
// its namespace.
//
//   surroundings.services = service_variables(pod, services_of_its_namespace, kubernetes);
//
// Assumes: `kubernetes` is the Service of that name in `default`, or absent. Services without an
// address that anybody serves are left out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "agent/environment.h"
#include "objects/value.h"

namespace muster::agent {

Environment service_variables(objects::View pod, std::span<const objects::Value> services,
                              objects::View kubernetes);

}  // namespace muster::agent
