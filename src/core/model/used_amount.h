// UsedAmount: how much of a resource a LocalQueue has used, in whole billionths of a unit (of a
// core, of a byte). Sums are exact and what is scaled is cut off there, as Kueue does it: of
// LocalQueues that have used as much none goes first for how its sum was rounded.
//
//   UsedAmount used = UsedAmount::of_units(2);
//   used.scaled(0.25).to_double();                 // 0.5
//
// Assumes: factors lie between 0 and 1; no more than an int64 counts in units.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/quantity.h"

namespace muster::core {

class UsedAmount {
 public:
  __extension__ using Billionths = __int128;

  UsedAmount() = default;  // nothing

  static UsedAmount of_units(std::int64_t units);
  static UsedAmount of_milli(std::int64_t thousandths);
  // As it is written; what is finer than a billionth there is not.
  static UsedAmount of(const Quantity& quantity);

  UsedAmount& operator+=(const UsedAmount& other);
  // The decimal digits of the factor count, and what is finer than a billionth is cut off.
  UsedAmount scaled(double factor) const;

  double to_double() const;

  // In thousandths or in units, rounded down.
  std::int64_t milli() const;
  std::int64_t units() const;

 private:
  Billionths billionths_ = 0;
  std::optional<double> written_;  // a number that nothing was added to is the number it was
};

}  // namespace muster::core
