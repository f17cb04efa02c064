// The successPolicy of an Indexed Job: it has succeeded when the indexes that matter have, and the
// rest need not go on.
//
//   if (auto message = met_success_rule(policy, completions, succeeded)) …  // "Matched rules at
//                                                                              index 0"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/index_set.h"
#include "objects/value.h"

namespace muster::core {

std::optional<std::string> met_success_rule(objects::View policy, std::int64_t completions,
                                            const IndexSet& succeeded);

}  // namespace muster::core
