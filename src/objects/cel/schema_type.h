// What CEL knows of a value by its OpenAPI schema: numbers, texts, times, lists and maps of them,
// and objects whose fields have names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "objects/cel/datum.h"
#include "objects/value.h"

namespace muster::objects::cel {

struct TypeOfSchema {
  Kind kind = Kind::dynamic;  // dynamic for an object with named fields too
  Kind key = Kind::dynamic;
  Kind element = Kind::dynamic;
  View schema = {};  // absent: nothing is known
};

TypeOfSchema type_of_schema(View schema);

// The schema of a resource's metadata (its names, no more), kind or apiVersion.
View resource_field(std::string_view name);

}  // namespace muster::objects::cel
