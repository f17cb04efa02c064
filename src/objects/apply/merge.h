// The two ways in which server-side apply makes a new object: the live one with a configuration
// laid over it, and an object without a set of its fields.
//
//   Value merged = TRY(merge_configuration(live, configuration, schema.root()));
//   Value pruned = without_fields(merged, dropped, schema.root());
//
// Assumes: both are in the version of the schema. What is not touched is shared. In lists by key
// the order of the configuration holds among its elements, the others stay where they were.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "objects/apply/field_set.h"
#include "objects/schema.h"
#include "objects/value.h"

namespace muster::objects {

// Fails where the configuration names an element of a list twice.
Result<Value> merge_configuration(const Value& live, const Value& configuration, SchemaNode node);

Value without_fields(const Value& object, const FieldSet& removed, SchemaNode node);

}  // namespace muster::objects
