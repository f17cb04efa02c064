// What discovery says of how a kind is stored: a hash of its storage version, by which clients that
// migrate objects see that it has changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "objects/kind_registry.h"

namespace muster::server {

std::string storage_version_hash(const objects::Kind& kind);

}  // namespace muster::server
