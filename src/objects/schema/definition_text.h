// How kube-apiserver's messages show parts of a CustomResourceDefinition: as the JSON of the Go
// structs that it keeps them in, which have every field, set or not.
//
//   go_rule(rule)     {"Rule":"self < 3","Message":"","MessageExpression":"",…}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "objects/value.h"

namespace muster::objects {

// What all versions have alike is kept once, beside the versions, and not shown in them.
struct SharedParts {
  bool schema = false;
  bool subresources = false;
  bool columns = false;
  bool selectable_fields = false;
};
SharedParts shared_parts(View versions);

std::string go_versions(View versions, const SharedParts& shared);
std::string go_schema(View schema);
std::string go_rule(View rule);

}  // namespace muster::objects
