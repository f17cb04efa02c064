// The checks of metadata that hold for every kind: names, labels, annotations, owners, finalizers,
// and what an update may not touch. The sentences are kube-apiserver's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "objects/admit.h"
#include "objects/field_error.h"
#include "objects/schema.h"
#include "objects/schema/formats.h"
#include "objects/value.h"

namespace muster::objects {

struct MetadataRules {
  Scope scope = Scope::namespaced;
  Format name_format = Format::dns_subdomain;
  SchemaStyle style = SchemaStyle::native;
};

void check_metadata(View metadata, const MetadataRules& rules, FieldErrors& errors);
void check_metadata_update(View metadata, View old_metadata, FieldErrors& errors);

}  // namespace muster::objects
