// Evaluates a checked CEL program. The tree's height bounds the recursion, the scratch's steps
// bound the work. Operators treat numbers as CEL does: no mixing of int and double, except that
// a whole number read from the object joins a double, because JSON writes 3 for 3.0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "objects/cel/scratch.h"
#include "objects/cel/syntax.h"

namespace muster::objects::cel {

// The result, or an error; nothing of it outlives the program, the views and the scratch.
Datum evaluate(const Program& program, std::span<const View> variables, Scratch& scratch);

}  // namespace muster::objects::cel
