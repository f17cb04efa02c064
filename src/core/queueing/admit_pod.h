// admit_pod: what queueing does to a plain pod when it is written, before it is stored. A new pod
// that names a queue is marked, held by Kueue's finalizer and gated, so that nobody places it
// before its queue lets it go; what Kueue's webhook refuses is refused in its words.
//
//   auto admitted = admit_pod({.pod = pod, .scope = &configuration.jobs, .name_space = object});
//   if (!admitted.errors.empty()) …
//
// Assumes: the pod was admitted by its schema, defaults, tolerations and priority included: its
// role is a hash over them. `has_managed_owner`: the job that made it is in a queue itself; then
// the pod is left alone. A pod that names no queue is nobody's unless the configuration takes all.
// One that names a queue and is left out all the same says so in a warning.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/configuration.h"
#include "core/model/feature_gates.h"
#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::core {

struct PodWrite {
  objects::Value pod;
  objects::Value old_pod = {};      // absent on create
  const JobScope* scope = nullptr;  // which pods are managed; null: those that name a queue
  objects::Value name_space = {};   // the pod's Namespace
  bool has_managed_owner = false;
  bool has_default_queue = false;
  const FeatureGates* gates = nullptr;  // null: the usual ones
};

struct PodAdmission {
  objects::Value pod;
  objects::FieldErrors errors = {};
  std::vector<std::string> warnings = {};
};

PodAdmission admit_pod(const PodWrite& write);

}  // namespace muster::core
