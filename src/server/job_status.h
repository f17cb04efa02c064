// What the status of a job may become. Controllers of others may run jobs (spec.managedBy), and
// clients rely on how a job ends: a job that is complete says when, and why before that; what is
// counted is not counted back; what has ended does not begin again.
//
//   check_job_status(admission);      // status.startTime: Required value: startTime is required …
//
// Only what changes is looked at, so that a status of before does not stand in the way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/admission.h"

namespace muster::server {

void check_job_status(Admission& admission);

}  // namespace muster::server
