// The last check of every patch: that the patched document is not larger than allowed. Measuring
// is only needed where the memory behind the value says that it could be.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "objects/patch/limits.h"
#include "objects/value.h"

namespace muster::objects {

// The value, or too_large.
Result<Value> within_limits(Value patched, const PatchLimits& limits);

}  // namespace muster::objects
