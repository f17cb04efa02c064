// What is asked before a verb begins: whether the identity may, and whether the kind has what was
// named.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "objects/value.h"
#include "server/context.h"
#include "server/outcome.h"
#include "server/request.h"
#include "server/target.h"

namespace muster::server {

Outcome<> check_access(const Context& context, const Target& target, std::string_view verb,
                       const Identity& identity);

// Whether this identity may change the object that is stored: a node only what is its own.
Outcome<> check_stored(const Target& target, std::string_view verb, const Identity& identity,
                       objects::View stored);

// 404 where the kind has no such subresource, 405 where it has none for this verb.
Outcome<> check_subresource(const Target& target, std::string_view verb);

}  // namespace muster::server
