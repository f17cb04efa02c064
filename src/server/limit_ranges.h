// LimitRange objects: defaults for containers that say nothing, and the least, the most and the
// ratio of what pods and claims may ask for. Sentences as kube-apiserver's.
//
//   apply_limit_defaults(context, admission);           // pods that are created
//   ALLOWED(check_limit_ranges(context, admission));    // pods and claims
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/admission.h"
#include "server/context.h"
#include "server/outcome.h"

namespace muster::server {

void apply_limit_defaults(Context& context, Admission& admission);

Outcome<> check_limit_ranges(Context& context, const Admission& admission);

}  // namespace muster::server
