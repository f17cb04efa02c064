// pod_requests: what one pod asks of a node, as Kubernetes adds it up: the containers together, or
// the largest step of the init containers (with the sidecars started before it), whichever is more;
// plus the overhead. A limit without a request is the request.
//
//   Amounts each = TRY(pod_requests(pod_set["template"]["spec"], names));
//
// Assumes: defaults of LimitRanges and overheads of RuntimeClasses were written into the spec by
// whoever created the pod or the Workload.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "core/model/resource_names.h"
#include "objects/value.h"

namespace muster::core {

Result<Amounts> pod_requests(objects::View pod_spec, ResourceNames& names);

}  // namespace muster::core
