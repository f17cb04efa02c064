// A plan's document for a person: a table of decisions for each cycle, then one sentence for each
// workload that waits, then what was evicted, finished and ignored.
//
//   out(plan_text(document));
//
// Assumes: the document of plan_engine.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "objects/value.h"

namespace muster::cli {

std::string plan_text(objects::View document);

}  // namespace muster::cli
