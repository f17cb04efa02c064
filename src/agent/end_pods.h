// end_all_pods: ends what an earlier platform left running in a folder of pods. For `muster down`;
// the platform of that folder must not run.
//
//   auto count = TRY(end_all_pods(data + "/pods"));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace muster::agent {

// How many there were. Each shim is killed, and its containers die with it; the folders stay, so
// that a platform that comes back can tell what became of its pods.
Result<std::size_t> end_all_pods(const std::string& pods_folder);

}  // namespace muster::agent
