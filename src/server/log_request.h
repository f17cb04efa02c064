// pods/log: which container is meant, and from where on. The words of the refusals are
// kube-apiserver's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "server/context.h"
#include "server/outcome.h"
#include "server/request.h"
#include "server/route.h"
#include "server/target.h"

namespace muster::server {

// Null where there can be no log yet: the pod is on no node.
Outcome<std::unique_ptr<Stream>> open_log(Context& context, const Target& target,
                                          const Query& query);

}  // namespace muster::server
