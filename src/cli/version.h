// `muster --version`: which Muster this is, and how it was built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace muster::cli {

// "0.1.0"
std::string version_number();

// "muster 0.1.0 (release, g++ 12.2.0)"
std::string version_line();

}  // namespace muster::cli
