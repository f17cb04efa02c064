// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>
#include <string>

#include "server/admission.h"

namespace muster::server {

using objects::FieldError;
using objects::View;

namespace {

// What Kueue's webhook asks of resource groups beyond the rules of its CRD: a resource and a flavor
// each belong to one group, and every flavor names the group's resources in their order.
void check_flavor(View group, View flavor, const std::string& path, objects::FieldErrors& errors) {
  const View covered = group["coveredResources"];
  const View resources = flavor["resources"];
  for (std::size_t i = 0; i < resources.size() && i < covered.size(); ++i) {
    if (resources[i]["name"] == covered[i]) continue;
    errors.add(FieldError::invalid(fmt::format("{}.resources[{}].name", path, i),
                                   resources[i]["name"],
                                   fmt::format("must match the name in coveredResources")));
  }
}

void check_resource_groups(View spec, objects::FieldErrors& errors) {
  std::set<std::string, std::less<>> resources;
  std::set<std::string, std::less<>> flavors;
  std::size_t g = 0;
  for (View group : spec["resourceGroups"].elements()) {
    const std::string path = fmt::format("spec.resourceGroups[{}]", g++);
    std::size_t i = 0;
    for (View resource : group["coveredResources"].elements()) {
      if (!resources.emplace(resource.string_or("")).second) {
        errors.add(
            FieldError::duplicate(fmt::format("{}.coveredResources[{}]", path, i), resource));
      }
      ++i;
    }
    i = 0;
    for (View flavor : group["flavors"].elements()) {
      const std::string at = fmt::format("{}.flavors[{}]", path, i++);
      if (!flavors.emplace(flavor["name"].string_or("")).second) {
        errors.add(FieldError::duplicate(at + ".name", flavor["name"]));
      }
      check_flavor(group, flavor, at, errors);
    }
  }
}

}  // namespace

Outcome<> admit_kueue(Admission& admission) {
  if (admission.target.is_status()) return {};
  if (admission.target.kind->kind == "ClusterQueue") {
    check_resource_groups(admission.object["spec"], admission.errors);
  }
  return {};
}

}  // namespace muster::server
