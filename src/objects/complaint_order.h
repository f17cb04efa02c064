// Puts what is odd about fields of an object into the order of its text, in which Go's decoder
// meets them: a field that is there twice where it stands the second time, an unknown one where it
// stands.
//
//   for (const Complaint& each : in_text_order(object, unknown, twice)) …
//
// Assumes: of a field that was there twice the object has the last one, at its place. A path that
// does not lead anywhere stays before those of the part that it leads to. A path is told once, and
// of all of them unknown_fields_max.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "objects/value.h"

namespace muster::objects {

struct Complaint {
  std::string_view path;  // `spec.containers[0].foo`
  bool is_duplicate = false;
};

// The views are those of the paths that were given.
std::vector<Complaint> in_text_order(View object, std::span<const std::string> unknown,
                                     std::span<const std::string> twice);

}  // namespace muster::objects
