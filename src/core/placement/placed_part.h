// PlacedPart: the nodes of one pod set and how many of its pods stand on each, by the names of the
// nodes. Most go to one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/model/ids.h"
#include "core/model/short_list.h"

namespace muster::core {

struct PlacedPods {
  NodeId node;
  std::int64_t count = 0;

  friend bool operator==(const PlacedPods&, const PlacedPods&) = default;
};

using PlacedPart = ShortList<PlacedPods, 1>;

}  // namespace muster::core
