// `muster crds`: what must be applied to a cluster before `muster controller` can serve it.
//
//   muster crds | kubectl apply --server-side -f -
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace muster::cli {

// The CustomResourceDefinitions of the kinds that this binary knows, as YAML.
std::string crds_text();

}  // namespace muster::cli
