// Resolves the names of a parsed CEL program and refuses what cannot be right whatever the
// object: unknown variables and functions, operands of kinds that no overload takes. What
// depends on the object is left to evaluation, unless the variables come with their schemas. Every
// mistake is told, in the order of the text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/result.h"
#include "objects/cel/syntax.h"
#include "objects/value.h"

namespace muster::objects::cel {

Result<> check(Program& program, std::span<const View> schemas = {});

}  // namespace muster::objects::cel
