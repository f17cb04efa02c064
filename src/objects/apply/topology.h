// How server-side apply sees a place of an object: as a whole, as an object whose members have
// owners of their own, or as a list whose elements do; and which path element an element has.
//
//   shape_of(pod_spec.field("containers"), value)        Shape::list
//   element_of(containers, container)                    k:{"name":"c"}
//
// Assumes: a place that no schema describes is an object with members, or a whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "objects/apply/path_element.h"
#include "objects/schema.h"
#include "objects/value.h"

namespace muster::objects {

enum class Shape : std::uint8_t { whole, object, list };

// Null and absent take the shape that the schema says.
Shape shape_of(SchemaNode node, View value);

// Absent, null, {} and []: what has no members or elements to look into.
inline bool is_hollow(View value) {
  return value.empty() && (value.is_object() || value.is_array() || value.is_null() || !value);
}

// Fails where the element has none of its keys, or is no scalar of a set.
Result<PathElement> element_of(SchemaNode list, View element);

}  // namespace muster::objects
