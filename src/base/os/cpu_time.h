// How much processor time this thread has had: what a measurement on a shared machine counts,
// because neighbours take the clock's time but not this one.
//
//   const Span start = thread_cpu_time();
//   work();
//   const Span took = thread_cpu_time() - start;
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/instant.h"

namespace muster {

// A system call of some hundred nanoseconds: not to be asked around every small step.
Span thread_cpu_time();

}  // namespace muster
