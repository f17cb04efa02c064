// Events have two forms, one per group: `involvedObject`, `message`, `count` of the core group are
// `regarding`, `note`, `deprecatedCount` of events.k8s.io. This gives an event the other form's
// names; everything else is shared.
//
//   Value shown = convert_event(stored, "events.k8s.io/v1");
//
// Assumes: an event that one of the two schemas accepts. What Go leaves out when it is empty is
// left out; decoding by the schema of the new form brings back what that form always writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "objects/value.h"

namespace muster::objects {

// `api_version` is `v1` or `events.k8s.io/v1`.
Value convert_event(const Value& event, std::string_view api_version);

}  // namespace muster::objects
