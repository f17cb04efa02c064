// The order in which kube-apiserver reports what is wrong with an object of a built-in kind: that
// of its hand-written validation, whatever the order of the text that was sent. Errors are grouped
// along their paths, and at each struct that is listed in error_order.cc the groups follow the
// list, and behind it the numbers of the fields. All others stay in the order in which they were
// found.
//
//   FieldErrors ordered = in_peer_order(schema.root(), std::move(errors));
//
// Errors of an update come behind those of the object as it is: FieldError::pass counts how often
// the peer has looked at the whole object before it said so.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "objects/field_error.h"
#include "objects/schema.h"

namespace muster::objects {

// The pass of errors about what changed, behind those about what is there.
inline constexpr std::uint8_t error_pass_of_changes = 2;

// Of changes that the peer tells where it looks at the field, before all else that is wrong with
// it.
inline constexpr std::uint8_t error_pass_at_its_field = 254;

// The pass of errors that come last, and in the order in which they were found.
inline constexpr std::uint8_t error_pass_as_it_comes = 255;

FieldErrors in_peer_order(SchemaNode root, FieldErrors errors);

}  // namespace muster::objects
