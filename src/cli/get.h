// `muster get` and `muster events`: objects as the server's tables or in the forms of -o, and with
// -w what happens to them from then on.
//
//   return get(session, {.watches = true});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cli/object_session.h"

namespace muster::cli {

struct GetOptions {
  bool watches = false;
  bool only_watches = false;
  bool without_headers = false;
  bool shows_labels = false;
  bool shows_managed_fields = false;
};

Result<> get(ObjectSession& session, const GetOptions& options);

// `--for TYPE/NAME` chooses the events of one object.
Result<> events(ObjectSession& session, const std::string& of, bool watches);

}  // namespace muster::cli
