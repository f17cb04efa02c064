// is_loose_pod: whether a pod is on its own: no queue has it, no gang, no gate. Whom such a pod
// waits for is its scheduler alone: this one, or the one that it names.
//
//   if (is_loose_pod(pod) && names_other_scheduler(pod)) …            // is not ours to place
//
// Assumes: an object that the server has admitted; nothing is said of whether it has a node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "objects/value.h"

namespace muster::core {

bool is_loose_pod(objects::View pod);

bool names_other_scheduler(objects::View pod);

}  // namespace muster::core
