// SPDX-License-Identifier: Apache-2.0
#include "cli/crds.h"

#include "objects/kind_registry.h"
#include "server/crds.h"

namespace muster::cli {

std::string crds_text() {
  return server::custom_resource_definitions(objects::KindRegistry::built_in().must());
}

}  // namespace muster::cli
