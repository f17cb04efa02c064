// What an event means for the row it is about: nothing new, a new state of the same object, another
// object under the same name, or the end of it.
//
//   switch (next_step(row, event)) { case Step::ignore: return; … }
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/model/event.h"
#include "core/model/rows.h"
#include "objects/metadata.h"

namespace muster::core {

enum class Step : std::uint8_t {
  ignore,   // seen already, or about a predecessor
  update,   // the first or a newer state of the object
  replace,  // another uid: the old one is gone, this one is new
  remove,
};

// Which object a row holds, and in which state.
struct Identity {
  bool present = false;
  std::string_view uid = {};
  std::uint64_t revision = 0;
};

// `uid`: that of the event's object.
Step next_step(const Identity& row, const Event& event, std::string_view uid);
template <class Row>
Step next_step(const Row& row, const Event& event, std::string_view uid) {
  return next_step(Identity{row.present, row.uid, row.revision}, event, uid);
}
template <class Row>
Step next_step(const Row& row, const Event& event) {
  return next_step(row, event, objects::uid_of(event.object));
}

// Takes down which object and which state of it the row shows from now on.
void take_identity(Incarnation& row, const Event& event);

}  // namespace muster::core
