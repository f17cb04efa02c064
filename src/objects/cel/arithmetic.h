// The arithmetic operators of CEL on data. No mixing of int and double, except that a whole
// number read from the object joins a double, because JSON writes 3 for 3.0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "objects/cel/scratch.h"
#include "objects/cel/syntax.h"

namespace muster::objects::cel {

// a operation b; an error where there is no such overload or the result does not fit.
Datum arithmetic(Scratch& scratch, Operation operation, Datum a, Datum b);

// The same for two integers, which is all that unary minus needs.
Datum integer_arithmetic(Operation operation, std::int64_t a, std::int64_t b);

}  // namespace muster::objects::cel
