// What decisions need of a Cohort: its place in the tree, what it adds to it, and its weight among
// its siblings.
//
//   Cohort cohort = TRY(read_cohort(object, names));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/read_resource_groups.h"
#include "core/model/resource_names.h"
#include "objects/value.h"

namespace muster::core {

struct Cohort {
  std::string parent;  // empty: a root
  std::vector<ResourceGroup> groups;
  double fair_weight = 1;
};

Result<Cohort> read_cohort(objects::View object, ResourceNames& names);

}  // namespace muster::core
