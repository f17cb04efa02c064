// Ages as kubectl prints them in its tables: two units at most, coarser the older a thing is.
//
//   human_duration(Span::of_seconds(192));        // "3m12s"
//   human_age(created, now);                      // "2y30d"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/instant.h"

namespace muster {

// "<invalid>" for what lies two seconds or more in the future; less than that is clock skew, "0s".
std::string human_duration(Span span);

// One unit only: "3m".
std::string short_human_duration(Span span);

std::string human_age(Instant since, Instant now);

}  // namespace muster
