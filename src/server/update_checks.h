// What an update may not change, and how often an update says what is wrong with metadata: the
// peer looks at it before it asks the kind, and most kinds look again, so that causes come twice
// and more. Clients that count them count the same here.
//
//   FieldErrors immutable = ALLOWED(check_identity(request, patches, body, current));
//   admitted.errors = told_on_update(*target.kind, immutable, admitted.errors);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "objects/field_error.h"
#include "objects/kind_registry.h"
#include "objects/value.h"
#include "server/outcome.h"
#include "server/write.h"

namespace muster::server {

// What only the server says about an object may be repeated, and not changed. Another uid in a PUT
// is a conflict, in a patch an error among others.
Outcome<objects::FieldErrors> check_identity(const WriteRequest& request, bool patches,
                                             objects::View body, objects::View current);

// All errors of an update, in the order of the peer. `found` has each once.
objects::FieldErrors told_on_update(const objects::Kind& kind,
                                    const objects::FieldErrors& immutable,
                                    const objects::FieldErrors& found);

}  // namespace muster::server
