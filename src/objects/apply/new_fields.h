// The fields that whoever creates an object owns, written at once as FieldsV1: a create is the
// write that must be cheap, and there is nothing to compare with.
//
//   FieldFilter filter{.root_excluded = {"status"}};
//   TRY(append_new_fields(pod, schema.root(), filter, text));     // {"f:spec":{"f:containers":…
//
// Assumes: the object is decoded and has its defaults. Structs that Go writes also when they are
// empty are nobody's (a kind of Kubernetes itself); the inside of what is new belongs to the
// creator. Says the same as compare() with the empty object of the kind (new_fields_test).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objects/apply/field_set.h"
#include "objects/schema.h"
#include "objects/value.h"

namespace muster::objects {

// What nobody owns: identity, and what the endpoint does not write. Empty texts mean nothing.
struct FieldFilter {
  std::array<std::string_view, 2> root_excluded = {};

  bool excludes(std::string_view root_member) const {
    return root_member == root_excluded[0] || root_member == root_excluded[1];
  }
  FieldSet applied_to(const FieldSet& set) const;
};

// apiVersion, kind, and the metadata that the server or the address of a request says.
FieldSet without_identity(const FieldSet& set);

// True when there was any.
Result<bool> append_new_fields(View object, SchemaNode root, const FieldFilter& filter,
                               std::string& out);

// The same as a set.
Result<FieldSet> new_fields(View object, SchemaNode root, const FieldFilter& filter);

}  // namespace muster::objects
