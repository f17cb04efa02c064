// Numbers and truth in labels and annotations, read as Go's strconv reads them, with its sentences
// in the errors: Kueue's users know both.
//
//   parse_go_integer("x").error().message   // strconv.Atoi: parsing "x": invalid syntax
//   *parse_go_boolean("T")                  // true
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace muster::core {

Result<std::int64_t> parse_go_integer(std::string_view text);
Result<bool> parse_go_boolean(std::string_view text);

}  // namespace muster::core
