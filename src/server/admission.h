// Admission: what happens to an object between decoding and storing that its schema cannot say,
// because it depends on other objects, on who writes, or on hand-written rules of its kind. One
// file per kind: admission_<kind>.cc. It runs on the storage version.
//
//   if (auto refused = admit(context, admission); …) return …;
//   store(admission.object);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "objects/field_error.h"
#include "objects/value.h"
#include "server/context.h"
#include "server/outcome.h"
#include "server/request.h"
#include "server/target.h"

namespace muster::server {

struct Admission {
  const Target& target;
  const Identity& identity;
  objects::Value object;           // may be replaced
  objects::Value old_object = {};  // absent on create
  objects::FieldErrors errors = {};
  std::vector<std::string> warnings = {};

  bool is_create() const { return old_object.is_absent(); }
};

// Runs the rules of the kind. A failure ends the request; `errors` are a 422.
Outcome<> admit(Context& context, Admission& admission);

// The namespace of a new object must exist and not be on its way out.
Outcome<> check_namespace(Context& context, const Target& target);

// system:muster:… and system:node:… may set annotations that are Muster's own.
bool is_part_of_muster(const Identity& identity);

// Of one kind each.
Outcome<> admit_namespace(Admission& admission);
Outcome<> admit_pod(Context& context, Admission& admission);
Outcome<> admit_job(Context& context, Admission& admission);
Outcome<> admit_service(Context& context, Admission& admission);
Outcome<> admit_kueue(Admission& admission);

// The object without the annotations that only Muster sets; those that are there already stay.
objects::Value without_reserved_annotations(const objects::Value& object, objects::View old_object);

}  // namespace muster::server
