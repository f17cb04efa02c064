// What a rule of webhooks and of admission policies says: which operations on which resources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::server {

// Adds what is wrong with the rule at the path, in the peer's order and words.
void check_hook_rule(objects::View rule, const std::string& path, objects::FieldErrors& errors);

}  // namespace muster::server
