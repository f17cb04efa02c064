// What an event means for the row it is about: nothing new, a new state of the same object, another
// object under the same name, or the end of it.
//
//   switch (next_step(row, event)) { case Step::ignore: return; … }
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/model/event.h"
#include "core/model/rows.h"

namespace muster::core {

enum class Step : std::uint8_t {
  ignore,   // seen already, or about a predecessor
  update,   // the first or a newer state of the object
  replace,  // another uid: the old one is gone, this one is new
  remove,
};

Step next_step(const Incarnation& row, const Event& event);

// Takes down which object and which state of it the row shows from now on.
void take_identity(Incarnation& row, const Event& event);

}  // namespace muster::core
