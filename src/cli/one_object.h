// The one object of a file, for commands that judge or change a single one.
//
//   const Value queue = TRY(read_one_object("-f", "queue.yaml"));   // "-": standard input
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "objects/value.h"

namespace muster::cli {

// YAML or JSON; a List or a list of one object is that object. The flag is named in errors.
Result<objects::Value> read_one_object(std::string_view flag, const std::string& path);

}  // namespace muster::cli
