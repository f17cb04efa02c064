// Server-side apply, and the ownership that every other write takes along. Pure: objects and texts
// of managedFields in, the same out.
//
//   write.owner = {.manager = "kubectl", .operation = Operation::apply, .api_version = "v1"};
//   auto applied = apply_configuration(live, owners, configuration, write);
//   if (applied.conflicts.empty()) store(applied.object, applied.managed);
//
// Assumes: live objects and configurations are in the version of the write. Owners who wrote in
// other versions are asked in theirs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/apply/managed_fields.h"
#include "objects/apply/new_fields.h"
#include "objects/schema.h"
#include "objects/value.h"

namespace muster::objects {

// An object in another version of its kind; nothing where there is no such version any more.
struct InVersion {
  Value object;
  SchemaNode schema;
};
using ToVersion = std::function<std::optional<InVersion>(const Value&, std::string_view)>;

struct OwnedWrite {
  FieldOwner owner;
  std::string time;  // now
  FieldFilter filter = {};
  SchemaNode schema = {};
  ToVersion to_version = {};  // none: there is one version only
  bool force = false;         // of an apply
};

// The managedFields of a new object.
Result<std::string> owners_of_new(View object, const OwnedWrite& write);

// Those after an update. `managed` is what ManagedFields::to_json() wrote before: the fields of
// owners that lose nothing are handed on unread.
Result<std::string> owners_after_update(const Value& before, const Value& after,
                                        std::string_view managed, const OwnedWrite& write);

struct Conflict {
  FieldOwner owner;
  std::vector<PathElement> path;
};

struct Applied {
  Value object;  // the live one, where nothing changes
  std::string managed;
  std::vector<Conflict> conflicts = {};  // not empty: nothing was applied
};

// Live is absent when the object is created.
Result<Applied> apply_configuration(const Value& live, std::string_view managed,
                                    const Value& configuration, const OwnedWrite& write);

// `"m1" with subresource "status" using v1`
std::string to_string(const FieldOwner& owner);

// `Apply failed with 1 conflict: conflict with "m1": .data.a`
std::string conflict_message(const std::vector<Conflict>& conflicts);

}  // namespace muster::objects
