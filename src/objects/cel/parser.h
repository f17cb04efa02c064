// CEL source into a tree (objects/cel/syntax.h). Knows the grammar and the macros, no names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "objects/cel/syntax.h"

namespace muster::objects::cel {

// Fills expressions, children, texts and root from program.source.
Result<> parse(Program& program);

}  // namespace muster::objects::cel
