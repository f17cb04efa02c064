// What a tenant's CustomResourceDefinition must be before its schema is compiled, and the
// compilation itself: names, versions, structural schemas, defaults that their own schema accepts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "objects/field_error.h"
#include "objects/schema.h"
#include "objects/value.h"

namespace muster::objects {

// Everything but what the schemas compile to: names, scope, versions, the shape of each schema, its
// rules, and the parts beside it. The old definition is absent on create.
FieldErrors check_definition(const Value& definition, View old_definition = {});

// Where messages say that a version's schema is: one that all versions have is named without them.
std::string schema_path(View versions, std::size_t index);

// Compiles a schema that check_definition accepted. The types are documents of kind Types; errors
// have the path in front. Without errors the result is a schema.
Schema compile_definition(const Value& schema, std::string_view kind, std::span<const Value> types,
                          const std::string& path, FieldErrors& errors);

}  // namespace muster::objects
