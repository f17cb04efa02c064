// recorded_pod: a pod as the record keeps it: without what no decision reads, which is most of its
// text and often a secret (variables, arguments), so that a segment holds more of what happened and
// writing it costs the machine less.
//
//   append_json(recorded_pod(event.object), line);
//
// Assumes: core/model/read_pod.cc reads nothing of what is left out; the replay of a record in the
// tests of control/ would show it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "objects/value.h"

namespace muster::control {

objects::Value recorded_pod(const objects::Value& pod);

}  // namespace muster::control
