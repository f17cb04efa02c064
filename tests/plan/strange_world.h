// A small cluster with a bit of everything that `muster plan` reads, for mutating: flavors, queues
// in cohorts, checks, a topology with nodes, limit ranges, classes, workloads that wait, hold quota
// and are being evicted, a job. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace muster::tests {

// YAML documents.
std::string_view strange_world();

}  // namespace muster::tests
