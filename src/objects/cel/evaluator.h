// Evaluates a checked CEL program. The tree's height bounds the recursion, the scratch's steps
// bound the work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "objects/cel/scratch.h"
#include "objects/cel/syntax.h"

namespace muster::objects::cel {

// The result, or an error; nothing of it outlives the program, the views and the scratch.
Datum evaluate(const Program& program, std::span<const View> variables, Scratch& scratch);

}  // namespace muster::objects::cel
