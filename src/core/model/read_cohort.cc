// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_cohort.h"

namespace muster::core {

Result<Cohort> read_cohort(objects::View object, ResourceNames& names) {
  const objects::View spec = object["spec"];
  Cohort cohort;
  cohort.parent = spec["parentName"].string_or("");
  cohort.groups = TRY(read_resource_groups(spec["resourceGroups"], names));
  cohort.fair_weight = TRY(read_fair_weight(spec["fairSharing"]));
  return cohort;
}

}  // namespace muster::core
