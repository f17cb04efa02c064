// go_json_error: what Go's decoder says about a text that is no JSON. Clients and people match on
// these sentences, so the API repeats them where its own parser has refused a text.
//
//   go_json_error("{\"a\": tru}");   // invalid character '}' in literal true (expecting 'e')
//
// Assumes: nothing. Nothing comes back for a text that Go would read, though we do not (too deep,
// not UTF-8).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::objects {

std::optional<std::string> go_json_error(std::string_view text);

}  // namespace muster::objects
