// pods/exec, pods/attach and pods/portforward: what a request for a conversation with a pod asks
// for.
//
//   Outcome<Upgrade> upgrade = open_pod_stream(context, target, route.query, *request.protocols);
//
// Assumes: the caller may do this. A client that offers nothing is refused last, as upstream.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "objects/value.h"
#include "server/context.h"
#include "server/outcome.h"
#include "server/request.h"
#include "server/route.h"
#include "server/target.h"

namespace muster::server {

// Whether this part of a pod is a conversation.
bool is_pod_stream(const Target& target);

// What it asks for as an object (PodExecOptions, PodAttachOptions, PodPortForwardOptions), as
// webhooks are shown it.
objects::Value pod_stream_options(const Target& target, const Query& query);

Outcome<Upgrade> open_pod_stream(Context& context, const Target& target, const Query& query,
                                 const std::optional<std::vector<std::string>>& protocols);

}  // namespace muster::server
