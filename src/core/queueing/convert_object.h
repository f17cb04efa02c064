// One object of Kueue in another of its versions, as Kueue's own conversion webhook would hand it
// out: the fields of objects/convert.h, and what going through Go structs does besides (unknown
// fields are gone, quantities are canonical, structs are written even when they are empty).
//
//   Value old = TRY(convert_object(registry, queue, "kueue.x-k8s.io/v1beta1"));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "objects/kind_registry.h"
#include "objects/value.h"

namespace muster::core {

// bad_request: no object of Kueue, no version of that name, or values of a wrong type.
Result<objects::Value> convert_object(const objects::KindRegistry& registry,
                                      const objects::Value& object, std::string_view to);

}  // namespace muster::core
