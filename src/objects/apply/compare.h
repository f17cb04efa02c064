// What differs between two states of an object, as sets of paths: what server-side apply asks of
// every write. A place that is there in one of them only counts with everything below it.
//
//   Comparison changed = TRY(compare(before, after, schema.root()));
//   owned = difference(owned, changed.removed);
//
// Assumes: both are in the version of the schema. Fails where an element of a list has no keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "objects/apply/field_set.h"
#include "objects/schema.h"
#include "objects/value.h"

namespace muster::objects {

struct Comparison {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;

  bool empty() const { return added.empty() && modified.empty() && removed.empty(); }
};

// The states may be absent.
Result<Comparison> compare(View before, View after, SchemaNode node);

// What an applied configuration claims: the leaves that it sets, the entries of maps, the elements
// of lists; not the structs that hold them.
Result<FieldSet> claimed_fields(View configuration, SchemaNode node);

// The set with every declared field on the way to a path: whoever owns all of a struct may remove
// the struct.
FieldSet with_declared_fields(const FieldSet& set, SchemaNode node);

}  // namespace muster::objects
