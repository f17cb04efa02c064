// Mutants: planted bugs, to know that the checkers would find real ones. Each is slipped into a
// seam (simulator/house/seams.h), so that the product has no switch for it; only tests and
// `muster simulate --mutant NAME` know them.
//
//   run_seed(1, find_mutant("double-quota")->make());
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "simulator/house/seams.h"

namespace muster::simulator {

struct Mutant {
  std::string_view name;
  std::string_view what;  // the mistake, in a sentence
  Seams (*make)();
};

std::span<const Mutant> all_mutants();
const Mutant* find_mutant(std::string_view name);  // null where there is none
std::string mutant_names();

}  // namespace muster::simulator
