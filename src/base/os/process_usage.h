// What processes use, as the kernel counts it: time of the processor since they began, and memory.
//
//   const ProcessUsage used = TRY(measure_process_tree(first_process));
//   const ProcessUsage all = TRY(measure_machine());
//
// Assumes: /proc. Two measurements make a rate; a process that has gone meanwhile counts nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/instant.h"
#include "base/result.h"

namespace muster {

struct ProcessUsage {
  Span processor_time = {};
  std::int64_t memory_bytes = 0;

  friend bool operator==(const ProcessUsage&, const ProcessUsage&) = default;
};

// The process and all that descend from it, with the time of those that it has outlived. Memory is
// what is resident: what several share counts several times. not_found when the process is gone.
Result<ProcessUsage> measure_process_tree(std::int64_t process_id);

// All of this machine: memory that is not available to anybody else.
Result<ProcessUsage> measure_machine();

}  // namespace muster
