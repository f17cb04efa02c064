// A small cluster with a bit of everything that `muster plan` reads, for mutating: flavors, queues
// in cohorts, checks, a topology with nodes, limit ranges, classes, a job, and workloads that wait,
// hold quota and are being evicted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace muster::tests {

// YAML documents, of tests/data/plan/strange_world.yaml.
std::string strange_world();

}  // namespace muster::tests
