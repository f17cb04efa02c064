// Event: the only way into ClusterState. An object was written or removed, time passed, or the
// configuration changed. The feed of events is recorded from the first day; replaying the record
// gives the same state and the same decisions.
//
//   state.apply({.revision = 812, .resource = resources::nodes, .type = EventType::upsert, .object
//   = node}); state.apply({.type = EventType::tick, .now = clock.wall()});
//
// Assumes: events of one object come in order; between kinds there is no order. The same event
// twice changes nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/instant.h"
#include "base/result.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

enum class EventType : std::uint8_t {
  upsert,
  remove,  // object: the last state that is known
  tick,    // only `now`
  config,  // object: the policy
};

struct Event {
  std::uint64_t revision = 0;  // the object's resourceVersion where it is a number, else 0
  EventType type = EventType::upsert;
  objects::Resource resource = {};
  objects::Value object = {};
  Instant now = {};
};

// One JSON document: {revision, type, group, kind, now, object}.
void append_json(const Event& event, std::string& out);
Result<Event> event_of(const objects::Value& value);

}  // namespace muster::core
