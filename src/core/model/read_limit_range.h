// What decisions need of LimitRanges: the defaults and bounds for the containers and pods of one
// namespace, all of its LimitRanges together.
//
//   LimitSummary summary = TRY(summarize_limit_ranges(ranges, names));   // in the order of names
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/result.h"
#include "core/model/effective_requests.h"
#include "objects/value.h"

namespace muster::core {

Result<LimitSummary> summarize_limit_ranges(std::span<const objects::Value> ranges,
                                            ResourceNames& names);

}  // namespace muster::core
