// Resolves the names of a parsed CEL program and refuses what cannot be right whatever the
// object: unknown variables and functions, operands of kinds that no overload takes. What
// depends on the object (`self` is dynamic) is left to evaluation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "objects/cel/syntax.h"

namespace muster::objects::cel {

Result<> check(Program& program);

}  // namespace muster::objects::cel
