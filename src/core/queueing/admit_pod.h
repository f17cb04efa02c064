// admit_pod: what queueing does to a plain pod when it is written, before it is stored. A new pod
// that names a queue is marked, held by Kueue's finalizer and gated, so that nobody places it
// before its queue lets it go; what Kueue's webhook refuses is refused in its words.
//
//   auto admitted = admit_pod({.pod = pod, .is_in_managed_namespace = true});
//   if (!admitted.errors.empty()) …
//
// Assumes: the pod was admitted by its schema, defaults, tolerations and priority included: its
// role is a hash over them. `has_managed_owner`: the job that made it is in a queue itself; then
// the pod is left alone. A pod that names no queue is nobody's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::core {

struct PodWrite {
  objects::Value pod;
  objects::Value old_pod = {};  // absent on create
  bool is_in_managed_namespace = true;
  bool has_managed_owner = false;
  bool has_default_queue = false;
};

struct PodAdmission {
  objects::Value pod;
  objects::FieldErrors errors = {};
  std::vector<std::string> warnings = {};
};

PodAdmission admit_pod(const PodWrite& write);

}  // namespace muster::core
