// What differs between two values, for people and logs: one line per place, in the order of the
// first value and then of what only the second one has. It is not a patch: objects/patch/ makes
// those.
//
//   for (const Difference& d : diff(before, after)) log(d.to_string());
//   // spec.replicas: 3 → 5        metadata.labels.app: removed (was "web")
//
// Assumes: both values outlive what is returned, which points into them. Arrays are compared place
// by place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "objects/limits.h"
#include "objects/value.h"

namespace muster::objects {

struct Difference {
  std::string path;  // `spec.containers[0].image`; empty where the roots themselves differ
  View before;       // absent where it was added
  View after;        // absent where it was removed

  std::string to_string() const;
};

// At most so many; what is equal is passed over without looking inside where memory is shared.
std::vector<Difference> diff(View before, View after, std::size_t count_max = differences_max);

}  // namespace muster::objects
