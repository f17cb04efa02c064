// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_resource_groups.h"

#include "base/checked.h"
#include "base/quantity.h"
#include "objects/json.h"

namespace muster::core {

using objects::View;

namespace {

Result<Quantity> read_quantity(View quantity) {
  return Quantity::parse_field(quantity.is_string() ? std::string(*quantity.string())
                                                    : objects::to_json(quantity));
}

// Beyond as many whole cores as an int64 holds in thousandths, Kueue calls a cpu quota unlimited.
Result<std::int64_t> read_quota(std::string_view resource, View field) {
  const Quantity quantity = TRY(read_quantity(field));
  if (resource != "cpu") return quantity.saturated_value(QuantityScale::unit);
  if (quantity >= Quantity::of(unlimited / 1000)) return unlimited;
  return quantity.saturated_value(QuantityScale::milli);
}

Result<std::optional<std::int64_t>> read_limit(std::string_view resource, View field) {
  if (field.is_absent() || field.is_null()) return std::optional<std::int64_t>();
  return std::optional<std::int64_t>(TRY(read_quota(resource, field)));
}

Result<FlavorQuota> read_flavor_quota(View view, ResourceNames& names) {
  FlavorQuota flavor{.flavor = std::string(view["name"].string_or("")), .quotas = {}};
  for (const View entry : view["resources"].elements()) {
    const std::string_view name = entry["name"].string_or("");
    ResourceQuota quota;
    quota.resource = TRY(names.intern(name));
    quota.nominal = TRY(read_limit(name, entry["nominalQuota"])).value_or(0);
    quota.borrowing_limit = TRY(read_limit(name, entry["borrowingLimit"]));
    quota.lending_limit = TRY(read_limit(name, entry["lendingLimit"]));
    flavor.quotas.push_back(quota);
  }
  return flavor;
}

}  // namespace

Result<std::vector<ResourceGroup>> read_resource_groups(View groups, ResourceNames& names) {
  std::vector<ResourceGroup> read;
  for (const View view : groups.elements()) {
    ResourceGroup group;
    for (const View name : view["coveredResources"].elements()) {
      group.covered.push_back(TRY(names.intern(name.string_or(""))));
    }
    for (const View flavor : view["flavors"].elements()) {
      group.flavors.push_back(TRY(read_flavor_quota(flavor, names)));
    }
    read.push_back(std::move(group));
  }
  return read;
}

Result<double> read_fair_weight(View fair_sharing) {
  const View weight = fair_sharing["weight"];
  if (weight.is_absent() || weight.is_null()) return 1.0;
  return TRY(read_quantity(weight)).to_double();
}

}  // namespace muster::core
