// The floor of a gang's start: as many bare processes of the same command, which wait at one gate
// and are let go in one moment. No namespaces, no logs, nobody who watches but this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace muster::bench {

// Milliseconds between the first words of the first and the last of them; -1 where they cannot be
// made.
double bare_skew_milliseconds(const std::string& command, int members);

}  // namespace muster::bench
