// Owners that an object names twice: the second entry is dropped, with a warning.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "objects/value.h"

namespace muster::server {

// The object with each owner once; the same value where that is so already. Of a patch the warning
// has other words.
objects::Value with_owners_once(const objects::Value& object, bool is_patched,
                                std::vector<std::string>& warnings);

}  // namespace muster::server
