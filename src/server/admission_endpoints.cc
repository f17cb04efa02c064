// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "server/admission.h"

namespace muster::server {

// Where pods share this machine's network they are addresses of its loopback, which nobody else
// may say of an endpoint: it would be another machine's own.
Outcome<> admit_endpoints(Admission& admission) {
  if (!is_part_of_muster(admission.identity) || admission.errors.empty()) return {};
  objects::FieldErrors kept;
  for (objects::FieldError& error : std::move(admission.errors).take()) {
    if (error.detail.starts_with("may not be in the loopback range")) continue;
    kept.add(std::move(error));
  }
  admission.errors = std::move(kept);
  return {};
}

}  // namespace muster::server
