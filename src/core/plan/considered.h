// What an admission tells of the flavors that it passed over, as Kueue's event has it: those that
// do not fit, need others to go, or borrow.
//
//   considered_flavors(tables, assignment)     // main: spot(NoFit;untolerated taint … in flavor
//   spot)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/admission/assignment.h"

namespace muster::core {

// Empty: there is nothing to tell.
std::string considered_flavors(const Tables& tables, const Assignment& assignment);

}  // namespace muster::core
