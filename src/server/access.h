// What is asked before a verb begins: whether the identity may, and whether the kind has what was
// named.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "server/authorizer.h"
#include "server/context.h"
#include "server/outcome.h"
#include "server/request.h"
#include "server/target.h"

namespace muster::server {

Outcome<> check_access(const Context& context, const Target& target, std::string_view verb,
                       const Identity& identity);

// The same for a question that is asked in words: 403 in those of kube-apiserver.
Outcome<> check_access(const Context& context, const Access& access);

// 404 where the kind has no such subresource, 405 where it has none for this verb.
Outcome<> check_subresource(const Target& target, std::string_view verb);

}  // namespace muster::server
