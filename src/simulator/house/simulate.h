// simulate: the command `muster simulate`: runs seeds, says what broke, and with which shortest
// list of events.
//
//   muster simulate --seed 812                  one seed, told in full
//   muster simulate --seed 1 --count 1000       many; the first failure is shrunk and printed
//   muster simulate --mutant double-quota       with a planted bug
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "cli/command_line.h"

namespace muster::simulator {

// The clock is the real one: for the speed that is printed.
int simulate(const cli::SimulateOptions& options, const cli::Output& output, const Clock& clock);

}  // namespace muster::simulator
