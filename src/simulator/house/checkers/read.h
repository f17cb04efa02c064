// Readers that several checkers share. They are written anew, not taken from core/: a mistake
// there must not hide itself here.
//
//   if (is_holding(workload)) usage += usage_of(workload);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "objects/value.h"

namespace muster::simulator {

// Quota is taken: reserved, and not finished.
bool is_holding(objects::View workload);

// (flavor, resource) → milli units of what its admission takes, without pods that are done.
using Usage = std::map<std::pair<std::string, std::string>, std::int64_t>;
Usage usage_of(objects::View workload);

// Thousandths of the quantity; 0 where it is none.
std::int64_t milli_of(objects::View quantity);

// The cpu that all containers of a pod request, in thousandths.
std::int64_t cpu_of(objects::View pod);

bool is_terminal(objects::View pod);

// Pods of the whole gang.
std::int64_t pods_of(objects::View workload);

}  // namespace muster::simulator
