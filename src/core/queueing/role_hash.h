// role_hash: the name of a pod's role in its group, as Kueue computes it: eight digits of a hash
// over what matters to admission in the pod's spec, written as Go writes JSON. Pods of one role are
// one pod set of the group's Workload.
//
//   role_hash(pod["spec"])   // "2d4be3b1"
//
// Assumes: a pod spec that its schema has admitted, defaults included.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "objects/value.h"

namespace muster::core {

std::string role_hash(objects::View pod_spec);

// The text that is hashed; for tests.
std::string role_text(objects::View pod_spec);

}  // namespace muster::core
