// Pod Security: what the labels of a namespace say about the pods in it. `enforce` refuses pods,
// `warn` warns of pods and of what makes pods; `audit` is for the audit log. A namespace whose
// labels say something else than a level or a version is refused, and one that becomes stricter
// tells which of its pods would not be let in again.
//
//   ALLOWED(check_pod_security(context, admission));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/admission.h"
#include "server/context.h"
#include "server/outcome.h"

namespace muster::server {

Outcome<> check_pod_security(Context& context, Admission& admission);

}  // namespace muster::server
