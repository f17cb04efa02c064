// `muster wait`: until objects have a condition, a value, or are gone.
//
//   return wait(session, {.what = "condition=Ready", .patience = Span::of_seconds(30)});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "cli/object_session.h"

namespace muster::cli {

struct WaitOptions {
  std::string what;  // condition=NAME[=VALUE], jsonpath={.path}[=VALUE], delete, create
  Span patience = Span::of_seconds(30);
};

Result<> wait(ObjectSession& session, const WaitOptions& options);

}  // namespace muster::cli
