// admit_job: what queueing does to a batch/v1 Job when it is written, before it is stored: a new
// job that names a queue is suspended, and what must not change while it runs is refused. Called in
// process by our server and, later, by the webhook on Kubernetes.
//
//   auto admitted = admit_job({.job = job, .old_job = {}, .has_default_queue = false});
//   if (!admitted.errors.empty()) …   // 422, with Kueue's sentences
//
// Assumes: the job was admitted by its schema, defaults included. A job that names no queue, where
// there is no default one, is nobody's: it is left as it is, and never suspended.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/configuration.h"
#include "core/model/feature_gates.h"
#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::core {

struct JobWrite {
  objects::Value job;
  objects::Value old_job = {};          // absent on create
  bool has_default_queue = false;       // a LocalQueue named `default` stands in its namespace
  const JobScope* scope = nullptr;      // which jobs are managed; null: those that name a queue
  objects::Value name_space = {};       // the job's Namespace, on create
  const FeatureGates* gates = nullptr;  // null: the usual ones
};

struct JobAdmission {
  objects::Value job;
  objects::FieldErrors errors;
};

JobAdmission admit_job(const JobWrite& write);

}  // namespace muster::core
