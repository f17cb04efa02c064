// The entries of x-kubernetes-validations in a CRD's schema: their texts, and whether they compile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::objects {

void check_rule_texts(View schema, const PathFrame& path, FieldErrors& errors);

// A resource (the root) has metadata, kind and apiVersion, whatever its schema says.
// `uncorrelatable` is the path of the list or object above whose old parts cannot be told apart;
// empty where there is none.
struct RulePlace {
  bool is_resource = false;
  std::string uncorrelatable = {};
};
void check_rule_programs(View schema, const PathFrame& path, const RulePlace& place,
                         FieldErrors& errors);

}  // namespace muster::objects
