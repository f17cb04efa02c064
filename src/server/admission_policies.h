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
#include <string>
#include <vector>

#include "objects/field_error.h"
#include "server/admission.h"
#include "server/context.h"
#include "server/outcome.h"

namespace muster::server {

// What a messageExpression may say; else the message is taken.
inline constexpr std::size_t policy_message_bytes_max = 5'120;

Outcome<> check_admission_policies(Context& context, Admission& admission);

// The names that the expressions of a policy may use: parameters and variables only where it has
// some.
std::vector<std::string> policy_names(objects::View spec);

// Rules of a policy and of a binding that are written (admission_policy_rules.cc).
Outcome<> admit_admission_policy(Admission& admission);
Outcome<> admit_policy_binding(Admission& admission);

}  // namespace muster::server
