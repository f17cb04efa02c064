// check_structural: whether a CRD's schema is one that apiextensions accepts: structural, with list
// keys that exist, without what is forbidden in a CRD (and without Muster's own keys). The paths
// and sentences are kube-apiserver's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::objects {

// The path is that of openAPIV3Schema.
void check_structural(View schema, const PathFrame& path, FieldErrors& errors);

}  // namespace muster::objects
