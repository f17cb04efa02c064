// `muster convert`: an object of Kueue in its other version.
//
//   muster convert -f queue.yaml --to kueue.x-k8s.io/v1beta1 -o yaml
//
// Exit 0: done; 2: unreadable, or no object of Kueue.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command_line.h"

namespace muster::cli {

struct ConvertOptions {
  std::string file;
  std::string to;
  std::string format = "json";
};

int convert(const ConvertOptions& options, const Output& output);

}  // namespace muster::cli
