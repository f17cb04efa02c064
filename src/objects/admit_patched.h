// The same as admit() for what a patch made of an object: errors speak of the patch.
//
//   admit_patched(schema, request, {.complaints = {"duplicate field \"a\""}});
//
// Assumes: as admit.h. A strategic merge patch works on trees, which another part of Go makes
// structs of: its words for a value of a wrong type are others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "objects/admit.h"

namespace muster::objects {

struct PatchOrigin {
  std::span<const std::string> complaints = {};  // of the patch itself, before all others
  bool is_strategic = false;
};

Result<Admitted> admit_patched(const Schema& schema, const AdmitRequest& request,
                               const PatchOrigin& origin);

}  // namespace muster::objects
