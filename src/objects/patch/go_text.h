// Values as Go prints them. The real API server puts Go's formatting of a decoded value into the
// messages of strategic merge patch and of server-side apply; people search for those sentences, so
// ours are the same.
//
//   go_text(value);     // {"b":[1,null],"a":"x"}  →  map[a:x b:[1 <nil>]]
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "objects/value.h"

namespace muster::objects {

// As fmt's %v verb prints it.
std::string go_text(View view);

// As fmt's %s verb prints it: what is no string shows that it is none, "%!s(int64=1)".
std::string go_string(View view);

// As fmt's %#v verb prints it: map[string]interface {}{"a":"b"}
std::string go_syntax(View view);

// The name of the Go type that decoding JSON gives, such as "map[string]interface {}".
std::string_view go_type(View view);

}  // namespace muster::objects
