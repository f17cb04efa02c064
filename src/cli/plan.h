// `muster plan`: what would happen with these queues and these jobs, without a cluster. Reads the
// files, asks cli/plan/plan_engine.h, prints the answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace muster::cli {

struct PlanOptions {
  std::vector<std::string> paths;  // files, folders, `-`
  std::string configuration;       // a file; empty: Kueue's defaults
  std::string policy;              // a file; empty: none
  std::string now;                 // RFC 3339; empty: the latest timestamp of the objects
  std::int64_t cycles = 1;
  bool until_idle = false;
  bool no_release = false;
  std::string steps;  // a file; empty: none
  std::string output = "text";
  bool explain = false;
};

inline constexpr int exit_internal = 3;

// 0 planned, 2 bad input, 3 internal failure.
int plan(const PlanOptions& options, const Output& output);

}  // namespace muster::cli
