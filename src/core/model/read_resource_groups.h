// The quotas that a ClusterQueue or a Cohort writes down: groups of resources, and for each group
// the flavors that hand them out, with what there is of each resource.
//
//   std::vector<ResourceGroup> groups = TRY(read_resource_groups(spec["resourceGroups"], names));
//   groups[0].flavors[1].quotas[2].nominal
//
// Assumes: amounts as Kueue counts them. What an int64 cannot hold is unlimited.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/resource_names.h"
#include "objects/value.h"

namespace muster::core {

struct ResourceQuota {
  ResourceId resource;
  std::int64_t nominal = 0;
  std::optional<std::int64_t> borrowing_limit = {};
  std::optional<std::int64_t> lending_limit = {};

  friend bool operator==(const ResourceQuota&, const ResourceQuota&) = default;
};

struct FlavorQuota {
  std::string flavor;
  std::vector<ResourceQuota> quotas;  // as listed: usually in the order of the covered resources

  friend bool operator==(const FlavorQuota&, const FlavorQuota&) = default;
};

struct ResourceGroup {
  std::vector<ResourceId> covered;
  std::vector<FlavorQuota> flavors;  // in the order of preference

  friend bool operator==(const ResourceGroup&, const ResourceGroup&) = default;
};

Result<std::vector<ResourceGroup>> read_resource_groups(objects::View groups, ResourceNames& names);

// A weight of fair sharing: 1 where nothing is written.
Result<double> read_fair_weight(objects::View fair_sharing);

}  // namespace muster::core
