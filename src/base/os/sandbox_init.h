// The first process of a sandbox: builds the root, starts the program, which waits at the gate
// until its last step, passes signals on to it, reaps what it leaves behind, tells how it ended,
// and takes the rest of the tree with it.
//
//   run_sandbox_init(spec, {.gate = …, .started = …, .ended = …});     // never returns
//
// Assumes: pid 1 of a new pid namespace with a mount namespace of its own, all signals blocked.
//
//   root ──► program at the gate ──► program runs ──► program ended ──► end, and with it
//                 └ closed: end        └ could not start: says why, end     every other process
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/os/sandbox.h"

namespace muster {

struct InitPipes {
  int gate;     // read: a byte lets the program go on, an end: nobody wants it any more
  int reached;  // closed when the program waits there
  int started;  // written: a StartFailure; closed when the program runs
  int ended;    // written: the wait status of the program
};

[[noreturn]] void run_sandbox_init(const SandboxSpec& spec, const InitPipes& pipes);

}  // namespace muster
