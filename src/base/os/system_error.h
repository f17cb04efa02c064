// The Error of a failed system call: "open data/log: No such file or directory". ENOENT becomes
// not_found, EEXIST already_exists, a full disk or quota insufficient_storage, the rest internal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/error.h"

namespace muster {

// `doing` is the verb, `number` an errno. The path may be empty.
Error system_error(std::string_view doing, std::string_view path, int number);

}  // namespace muster
