// One line for each durable change and each event of the script, for whoever reads a failure.
//
//   trace_line(time, change)    "186.021 workloads team-a/job-2 QuotaReserved=False(Pending) …"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/instant.h"
#include "simulator/house/checkers/checker.h"

namespace muster::simulator {

std::string trace_line(Span since_start, const Change& change);

}  // namespace muster::simulator
