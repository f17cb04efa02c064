// The memory of an object, fetched some time before it is read. An object that comes as an event is
// cold: its parts lie in several pieces of memory, each of which is found through the one before.
// These are the steps on that way; each reads what the step before it has fetched, and fetches what
// the next one reads. So they are taken for several objects in turn, one step for each.
//
//   fetch_root(events[i + 5].object);      // its members
//   fetch_parts(events[i + 4].object);     // those of metadata, spec and status
//   fetch_lists(events[i + 3].object);     // texts of them, conditions, the admission
//   fetch_entries(events[i + 2].object);   // members of conditions, pod sets and assignments
//
// Assumes: nothing but time depends on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "objects/value.h"

namespace muster::core {

void fetch_root(const objects::Value& object);
void fetch_parts(objects::View object);
void fetch_lists(objects::View object);
void fetch_entries(objects::View object);

}  // namespace muster::core
