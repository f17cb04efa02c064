// The last step of every verb that writes: the object goes to the store under the revision that
// was read, and the answer comes when it is durable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "objects/value.h"
#include "server/context.h"
#include "server/write.h"
#include "store/store.h"

namespace muster::server {

// The durable object and its tree, as they are now. Null where there is none.
struct Present {
  const CachedObject* cached = nullptr;
  objects::Value tree = {};

  std::string_view managed() const;

  explicit operator bool() const { return cached != nullptr; }
};
Present present(Context& context, const Target& target);

// Answers from outside the call.
void answer_later(Context& context, WriteAnswer done, Outcome<Written> outcome);

// `object` and `managed` are as they are stored. A refusal by the store comes with its own code:
// already_exists, conflict and not_found say that somebody else was first.
void put(Context& context, const Target& target, objects::Value object, std::string_view managed,
         store::Expected expected, WriteAnswer done);

// Removes it; the answer has the last state, under the revision of its end.
void erase(Context& context, const Target& target, objects::Value last, std::string managed,
           store::Revision revision, WriteAnswer done);

// Whether another write came first, so that it is worth deciding anew.
bool was_overtaken(const Outcome<Written>& outcome);

// The answer to a caller who named a version, or whose attempts are used up.
Outcome<Written> as_seen_by_caller(const Target& target, Outcome<Written> outcome);

}  // namespace muster::server
