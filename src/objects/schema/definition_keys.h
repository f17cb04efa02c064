// Which keys of a CRD's schema may stand where and together, and its rules. Whether the schema is
// structural is another question (schema/structural.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::objects {

struct KeyErrors {
  FieldErrors keys;
  FieldErrors rules;  // of what compiles below places without errors in their keys
};

// Rules are asked only of a schema that is structural.
KeyErrors check_schema_keys(View schema, const PathFrame& path, bool with_rules);

}  // namespace muster::objects
