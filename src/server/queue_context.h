// What Kueue's webhooks look up beside the object that is written: its Namespace, whether there is
// a default queue in it, and whether somebody who made it stands in a queue with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/model/configuration.h"
#include "objects/value.h"
#include "server/context.h"

namespace muster::server {

// Absent where there is none.
objects::Value find_namespace(Context& context, std::string_view name);

// A LocalQueue named `default` stands in the namespace.
bool has_default_queue(Context& context, std::string_view name_space);

// Somebody among those who made the object, of a kind that is queued, names a queue.
bool has_queued_owner(Context& context, const core::JobScope& scope, std::string_view name_space,
                      const objects::Value& object);

}  // namespace muster::server
