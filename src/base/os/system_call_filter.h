// Refuses, for this process and all it becomes, the system calls that a program of a pod has no
// business with: looking into other processes, mounting, new namespaces, loading code into the
// kernel, keys, clocks, and the corners where most of the kernel's holes were found.
//
//   TRY(refuse_dangerous_calls());      // after no_new_privs is set, right before the program
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

namespace muster {

Result<> refuse_dangerous_calls();

}  // namespace muster
