// `muster exec`: runs a command in a pod; ends with its exit status.
//
//   const int status = TRY(exec(session, {.container = "main"}));  // its words: p ls -l
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "cli/object_session.h"

namespace muster::cli {

struct ExecOptions {
  std::string container = {};
  bool reads_input = false;
  bool has_terminal = false;
};

Result<int> exec(ObjectSession& session, const ExecOptions& options);

}  // namespace muster::cli
