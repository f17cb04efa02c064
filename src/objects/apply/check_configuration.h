// Whether an applied configuration fits the schema, in the words of kube-apiserver's merge: they
// differ from those of validation, and come first.
//
//   .spec.foo: field not declared in schema
//   .data: expected map, got &{5}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "objects/schema.h"
#include "objects/value.h"

namespace muster::objects {

// Nothing where it fits.
std::optional<std::string> why_configuration_is_unfit(View configuration, SchemaNode root);

}  // namespace muster::objects
