// Quoted text in a JSONPath template, with Go's escapes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::objects::json_path {

// The contents of a text in single or double quotes; nothing where an escape is wrong.
std::optional<std::string> unquoted(std::string_view written);

}  // namespace muster::objects::json_path
