// check_definition_schema: whether a CRD's schema is one that apiextensions accepts: structural,
// with list keys that exist and rules that compile, without what is forbidden in a CRD (and without
// Muster's own keys). The paths, the sentences and their order are kube-apiserver's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::objects {

// The path is that of openAPIV3Schema. With a status subresource the root may say less.
void check_definition_schema(View schema, const std::string& path, bool has_status,
                             FieldErrors& errors);

}  // namespace muster::objects
