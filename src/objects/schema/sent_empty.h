// A list or map that was sent empty is none; the peer shows it all the same when it refuses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::objects {

// Errors whose value reads `null` say `[]` or `{}` where the object as it was sent has that.
FieldErrors with_empty_values(View sent, FieldErrors errors);

}  // namespace muster::objects
