// `muster validate`: would an API server with Kueue take this object, and if not, why?
//
//   muster validate -f queue.yaml --old before.yaml -o json
//
// Exit 0: valid; 1: not; 2: unreadable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command_line.h"

namespace muster::cli {

struct ValidateOptions {
  std::string file;
  std::string old_file;  // empty: the object is created
  std::string config;    // Kueue's Configuration; empty: its defaults
  std::string format = "text";
};

int validate(const ValidateOptions& options, const Output& output);

}  // namespace muster::cli
