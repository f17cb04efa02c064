// Who owns the fields that a request writes: the bridge from a request to objects/apply. Every
// write takes its managedFields along; an apply decides them first and brings them.
//
//   std::string managed = owners_of_created(request, object, now);
//   AppliedBody applied = ALLOWED(applied_body(request, present, now));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/instant.h"
#include "objects/apply/apply.h"
#include "objects/value.h"
#include "server/commit.h"
#include "server/outcome.h"
#include "server/write.h"

namespace muster::server {

// The object as it was decoded, before admission: what admission adds belongs to nobody. An object
// whose fields cannot be told apart has no owners.
std::string owners_of_created(const WriteRequest& request, objects::View object, Instant now);

// `body` is what was sent or patched: it may set or reset managedFields itself. `before` and
// `after` are in the caller's version.
std::string owners_of_updated(const WriteRequest& request, objects::View body,
                              const objects::Value& before, const objects::Value& after,
                              std::string_view managed, Instant now);

struct AppliedBody {
  objects::Value object;  // in the caller's version
  std::string managed;
};

// The present object with the configuration laid over it. Conflicts with other owners are a 409.
Outcome<AppliedBody> applied_body(const WriteRequest& request, const Present& present, Instant now);

// The manager that a request speaks for: the field manager, or what the User-Agent begins with.
std::string manager_of(std::string_view field_manager, std::string_view user_agent);

// Whether a patch speaks of managedFields, so that it must be shown them.
bool mentions_managed_fields(objects::View patch);

}  // namespace muster::server
