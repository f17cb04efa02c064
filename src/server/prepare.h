// The way of an object from what a caller sent to what is stored: the fields that only the server
// sets, the schema of the caller's version, the storage version, the admission of its kind.
//
//   Prepared next = ALLOWED(prepare_create(context, request));
//
// Assumes: the house thread, and a cache that has caught up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "objects/value.h"
#include "server/context.h"
#include "server/outcome.h"
#include "server/write.h"

namespace muster::server {

struct Prepared {
  objects::Value object;  // as it is stored (server/stored_object.h)
  std::vector<std::string> warnings;
};

// The target has the name already, also one that was generated.
Outcome<Prepared> prepare_create(Context& context, const WriteRequest& request);

// `body` is the whole next object in the caller's version; `current` is the tree as stored.
Outcome<Prepared> prepare_update(Context& context, const WriteRequest& request,
                                 const objects::Value& body, const objects::Value& current);

// Decodes what a version of a kind says into another one.
Outcome<objects::Value> converted(const objects::Kind& kind, const objects::Value& object,
                                  const objects::KindVersion& to);

}  // namespace muster::server
