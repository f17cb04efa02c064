// Which system calls a container that runs from an image is refused unless it has the right to
// them: the profile RuntimeDefault, in the form of the OCI runtime specification. Pure.
//
//   {"seccomp", system_call_profile(builder, capabilities)}
//
// What Docker's profile allows by a list is allowed here; what it leaves out is refused with EPERM.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "objects/builder.h"

namespace muster::agent {

objects::Node system_call_profile(objects::Builder& builder,
                                  const std::vector<std::string>& capabilities);

}  // namespace muster::agent
