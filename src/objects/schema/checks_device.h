// What claims, classes and slices of devices have in common.
//
//   check_driver_name(scope, ".driver", scope.text("driver"));
//
// Internal to this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "objects/schema/checks.h"

namespace muster::objects {

// False where there are more than may be: then nothing else is said of them.
bool check_count(CheckScope& scope, const std::string& place, View list, std::size_t count_max);

void check_driver_name(CheckScope& scope, const std::string& place, std::string_view name);

// The effect of a taint, or of those that somebody tolerates.
void check_taint_effect(CheckScope& scope, const std::string& place, std::string_view effect);

// `name` or `domain/name`.
void check_qualified(CheckScope& scope, const std::string& place, std::string_view name);

}  // namespace muster::objects
