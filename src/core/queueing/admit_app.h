// admit_app: what queueing does to a Deployment or a StatefulSet when it is written, before it is
// stored. The template of one that names a queue tells its pods to wait; what Kueue's webhooks
// refuse is refused in their words.
//
//   auto admitted = admit_app(deployment_app, {.object = deployment, .scope = &rules.jobs, …});
//   if (!admitted.errors.empty()) …   // 422
//
//   Deployment    template: parent, managed, queue, priority class ─► each pod waits on its own
//   StatefulSet   template: parent ─► its pods wait, and are joined to one group
//                 (reconcile_stateful_set.h). What its Workload was made of stays: the shape of a
//                 pod, and the number of pods unless one of both numbers is 0.
//
// Assumes: the object was admitted by its schema. `has_managed_owner`: who made it is in a queue
// itself; then it is left alone. One that names a queue and is left out says so in a warning.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/configuration.h"
#include "core/model/feature_gates.h"
#include "core/queueing/app.h"
#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::core {

struct AppWrite {
  objects::Value object;
  objects::Value old_object = {};       // absent on create
  const JobScope* scope = nullptr;      // which are managed; null: those that name a queue
  const FeatureGates* gates = nullptr;  // null: the usual ones
  objects::Value name_space = {};       // its Namespace
  objects::Value workload = {};         // of a StatefulSet as it was, where there is one
  bool has_managed_owner = false;
  bool has_default_queue = false;
};

struct AppAdmission {
  objects::Value object;
  objects::FieldErrors errors = {};
  std::vector<std::string> warnings = {};
};

AppAdmission admit_app(const App& app, const AppWrite& write);

}  // namespace muster::core
