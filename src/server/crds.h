// The kinds that Muster brings along, as CustomResourceDefinitions that a real kube-apiserver
// accepts: `muster crds | kubectl apply --server-side -f -`.
//
//   std::string text = custom_resource_definitions(registry);
//
// References to shared types are written out and our own keys left out. There is no conversion
// webhook, so both versions have one shape there: that of the object as it was written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "objects/kind_registry.h"

namespace muster::server {

// YAML, one document per kind that is built in here and is none of Kubernetes' own.
std::string custom_resource_definitions(const objects::KindRegistry& registry);

}  // namespace muster::server
