// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_cluster_queue.h"

#include <algorithm>

#include "base/checked.h"
#include "base/quantity.h"
#include "core/words.h"
#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::View;

namespace {

// What does not fit an int64 is nobody's limit.
Result<std::int64_t> read_quota(std::string_view resource, View quantity) {
  if (quantity.is_absent()) return std::int64_t{0};
  const std::string text =
      quantity.is_string() ? std::string(*quantity.string()) : objects::to_json(quantity);
  const Quantity parsed = TRY(Quantity::parse_field(text));
  return resource_amount(resource, parsed).value_or(unlimited);
}

// The quota of one flavor for each covered resource; zero for what it does not name.
Result<FlavorQuota> read_flavor_quota(View view, const std::vector<ResourceId>& covered,
                                      const ResourceNames& names) {
  FlavorQuota quota{.flavor = std::string(view["name"].string_or("")),
                    .nominal = std::vector<std::int64_t>(covered.size(), 0)};
  for (const View resource : view["resources"].elements()) {
    const std::string_view name = resource["name"].string_or("");
    const auto at = std::ranges::find(covered, names.find(name));
    if (at == covered.end()) continue;
    quota.nominal[static_cast<std::size_t>(at - covered.begin())] =
        TRY(read_quota(name, resource["nominalQuota"]));
  }
  return quota;
}

Result<ResourceGroup> read_group(View view, ResourceNames& names) {
  ResourceGroup group;
  for (const View name : view["coveredResources"].elements()) {
    group.covered.push_back(TRY(names.intern(name.string_or(""))));
  }
  for (const View flavor : view["flavors"].elements()) {
    group.flavors.push_back(TRY(read_flavor_quota(flavor, group.covered, names)));
  }
  return group;
}

std::vector<RequiredCheck> read_checks(View spec) {
  std::vector<RequiredCheck> checks;
  for (const View view : spec["admissionChecksStrategy"]["admissionChecks"].elements()) {
    RequiredCheck check{.name = std::string(view["name"].string_or("")), .on_flavors = {}};
    for (const View flavor : view["onFlavors"].elements()) {
      check.on_flavors.emplace_back(flavor.string_or(""));
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace

StopPolicy read_stop_policy(View policy) {
  const std::string_view name = policy.string_or("None");
  if (name == "Hold") return StopPolicy::hold;
  if (name == "HoldAndDrain") return StopPolicy::hold_and_drain;
  return StopPolicy::none;
}

Result<ClusterQueue> read_cluster_queue(View object, ResourceNames& names) {
  const View spec = object["spec"];
  ClusterQueue queue;
  for (const View group : spec["resourceGroups"].elements()) {
    queue.groups.push_back(TRY(read_group(group, names)));
  }
  if (spec["queueingStrategy"].string_or("") == "StrictFIFO") {
    queue.strategy = QueueingStrategy::strict_fifo;
  }
  queue.stop_policy = read_stop_policy(spec["stopPolicy"]);
  queue.namespace_selector = TRY(objects::LabelSelector::of(spec["namespaceSelector"]));
  queue.checks = read_checks(spec);
  queue.placement = placement_of(annotations_of(object)[words::placement].string_or(""));
  queue.is_being_deleted = is_being_deleted(object);
  return queue;
}

}  // namespace muster::core
