// `muster describe`: an object for a person, and its events: every field under a name of words.
//
//   return describe(session);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "cli/object_session.h"
#include "objects/value.h"

namespace muster::cli {

Result<> describe(ObjectSession& session, Instant now);

// The text without the events.
std::string description(objects::View object);

}  // namespace muster::cli
