// ValidatingAdmissionPolicies: rules in CEL that objects must obey, and the bindings that put them
// in force. A request is asked of every policy with a binding that matches it; a binding says what
// becomes of a broken rule (Deny, Warn, Audit), a policy what becomes of one that cannot be told.
//
//   ALLOWED(check_admission_policies(context, admission));
//
// Expressions see object, oldObject, request, params, namespaceObject and variables.
// Assumes: the house thread and a cache that has caught up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "objects/field_error.h"
#include "server/admission.h"
#include "server/context.h"
#include "server/outcome.h"

namespace muster::server {

// What a messageExpression may say; else the message is taken.
inline constexpr std::size_t policy_message_bytes_max = 5'120;

Outcome<> check_admission_policies(Context& context, Admission& admission);

// Expressions of a policy that is written: those that do not compile are errors of their fields.
Outcome<> admit_admission_policy(Admission& admission);

}  // namespace muster::server
