// Admission by schema: what a server does with an object before it stores it. decode() checks types
// and drops unknown fields; apply_defaults() fills what is absent; validate() says what is wrong;
// admit() does all of it in one pass and a walk.
//
//   auto admitted = TRY(admit(schema, {.object = body}));
//   if (!admitted.errors.empty()) return admitted.errors.message("Pod", name);
//   store(admitted.object);
//
// Assumes: the object was parsed with limits (objects/json.h). An Error is a 400 with the text that
// follows `… cannot be handled as a Pod: `; FieldErrors are a 422. Parts that do not change are
// shared with the object that came in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "objects/field_error.h"
#include "objects/schema.h"
#include "objects/value.h"

namespace muster::objects {

// What happens to unknown and duplicate fields: nothing, a warning, or a refusal.
enum class FieldValidation : std::uint8_t { ignore, warn, strict };

enum class Scope : std::uint8_t { namespaced, cluster };

struct Decoded {
  Value object;
  std::vector<std::string> warnings;  // `unknown field "spec.foo"`
};

struct Admitted {
  Value object;
  std::vector<std::string> warnings;
  FieldErrors errors;
};

struct AdmitRequest {
  Value object;
  Value old_object = {};  // absent on create
  FieldValidation field_validation = FieldValidation::warn;
  Scope scope = Scope::namespaced;
  std::vector<std::string> duplicate_fields = {};  // as the reader reported them
};

Result<Decoded> decode(const Schema& schema, const Value& object, FieldValidation field_validation,
                       std::span<const std::string> duplicate_fields = {});

Value apply_defaults(const Schema& schema, const Value& object);

// The same for reports: a null that a person wrote stays where it has no default, although an API
// server would drop it.
Value apply_defaults_keeping_nulls(const Schema& schema, const Value& object);

// The old object is absent on create.
FieldErrors validate(const Schema& schema, View object, View old_object, Scope scope);

// Two parts of the same for a kind of a CRD, whatever was wrong before: what the schema asks of
// values (not of the object's own metadata), and what its expressions ask. For reports that name
// everything at once, where an API server stops at the first part and lets pass what an update
// does not touch.
FieldErrors check_values(const Schema& schema, View object);
FieldErrors check_expressions(const Schema& schema, View object, View old_object);

Result<Admitted> admit(const Schema& schema, const AdmitRequest& request);

}  // namespace muster::objects
