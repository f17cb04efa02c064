// The arithmetic of quota amounts, as Kueue counts them: int64 in the resource's own unit, the
// largest one standing for "unlimited". Sums stop at it and stay there; what is taken from it
// leaves it as it is.
//
//   amount_plus(unlimited, 5) == unlimited
//   amount_minus(unlimited, unlimited) == 0
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "base/checked.h"

namespace muster::core {

constexpr std::int64_t amount_plus(std::int64_t a, std::int64_t b) {
  return quota_add(a, b);
}

// A bounded amount less an unlimited one is as far below zero as there is.
constexpr std::int64_t amount_minus(std::int64_t a, std::int64_t b) {
  if (a == unlimited) return b == unlimited ? 0 : unlimited;
  if (b == unlimited) return std::numeric_limits<std::int64_t>::min();
  return saturating_subtract(a, b);
}

}  // namespace muster::core
