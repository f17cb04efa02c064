// Whole files, for configuration, manifests and /proc: read at once and only up to a limit. What
// the product keeps goes through Disk instead.
//
//   const std::string text = TRY(read_whole_file(path, manifest_bytes_max));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace muster {

// too_large beyond the limit, not_found when absent. Reads what has no size (pipes, /proc) too.
Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max);

// The same from standard input, as `-f -` asks for.
Result<std::string> read_standard_input(std::size_t bytes_max);

}  // namespace muster
