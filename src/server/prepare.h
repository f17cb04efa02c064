// The way of an object from what a caller sent to what is stored: the fields that only the server
// sets, the schema of the caller's version, the storage version, the admission of its kind.
//
//   prepare_create(context, request, [](Outcome<Prepared> next) { … });
//
// Assumes: the house thread, and a cache that has caught up; the request lives until the answer.
// The answer comes from inside the call unless admission has to wait (a webhook, a quota): then it
// comes later, the cache may have moved on, and pointers into it are void.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_function.h"
#include "objects/value.h"
#include "server/context.h"
#include "server/outcome.h"
#include "server/write.h"

namespace muster::server {

// What is known of the owners before an update: those of the present object, or the decision of an
// apply.
struct Ownership {
  std::string_view before = {};
  std::optional<std::string> decided = std::nullopt;
};

struct Prepared {
  objects::Value object;  // as it is stored (server/stored_object.h)
  std::string managed;    // its managedFields, as they are stored
  std::vector<std::string> warnings;
  std::shared_ptr<void> hold = {};  // to be dropped when the write has been answered
};

using PrepareAnswer = UniqueFunction<void(Outcome<Prepared>)>;

// The target has the name already, also one that was generated. An apply has decided the owners.
void prepare_create(Context& context, const WriteRequest& request, PrepareAnswer done,
                    std::optional<std::string> owners = std::nullopt);

// `body` is the whole next object in the caller's version; `current` is the tree as stored.
void prepare_update(Context& context, const WriteRequest& request, const objects::Value& body,
                    const objects::Value& current, Ownership owners, PrepareAnswer done);

// What can be said of an object that was sent before one looks for the one it is to replace:
// whether it can be read, and is called as the request has it.
Outcome<> check_sent(const Context& context, const WriteRequest& request);

// Decodes, completes and validates an object by the schema of a version. Errors of validation are
// in the answer.
Outcome<objects::Admitted> by_schema(const WriteRequest& request, const objects::Value& object,
                                     const objects::Value& old);

// Decodes what a version of a kind says into another one.
Outcome<objects::Value> converted(const objects::Kind& kind, const objects::Value& object,
                                  const objects::KindVersion& to);

}  // namespace muster::server
