// go_quote: a text inside an error sentence as Go's time package writes it: in double quotes, with
// every byte that is not plain ASCII as \xNN. Clients compare these sentences.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace muster {

std::string go_quote(std::string_view text);

}  // namespace muster
