// The steps of admission that belong to no kind, and may wait for others: the part that changes
// objects before the rules of their kind see them, and the part that only says yes or no after.
//
//   change_on_admission: namespace, limit ranges, service accounts, priority, … mutating webhooks
//   check_on_admission:  limit ranges, pod security, … validating webhooks, quota
//
// Assumes: the house thread; the Admission lives until the answer. The answer comes from inside the
// call when nothing had to wait. Of a removal and of a connection both parts are one call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/unique_function.h"
#include "server/admission.h"
#include "server/context.h"
#include "server/outcome.h"

namespace muster::server {

using AdmitAnswer = UniqueFunction<void(Outcome<>)>;

void change_on_admission(Context& context, Admission& admission, AdmitAnswer done);
void check_on_admission(Context& context, Admission& admission, AdmitAnswer done);

// Operation::remove and Operation::connect (whose object is the options, such as PodExecOptions).
void admit_without_object(Context& context, Admission& admission, AdmitAnswer done);

}  // namespace muster::server
