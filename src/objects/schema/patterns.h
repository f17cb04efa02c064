// Whether a text is a regular expression of Go's, which is RE2's grammar; complaints in Go's words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace muster::objects {

// Empty where the pattern is fine.
std::string pattern_complaint(std::string_view pattern);

}  // namespace muster::objects
