// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/validate_quotas.h"

#include <fmt/format.h>

#include <compare>
#include <utility>

#include "objects/schema/formats.h"

namespace muster::core {

using objects::FieldError;
using objects::View;

namespace {

using Names = std::set<std::string_view>;

// A name that was seen before is told where it comes again.
void note(std::string_view name, const std::string& path, Names& seen, WebhookReport& report) {
  if (seen.insert(name).second) return;
  report.errors.add({FieldError::Type::duplicate, path, word(name), {}});
}

void check_limit(View limit, const QuotaRules& rules, const std::string& path,
                 WebhookReport& report) {
  check_not_negative(limit, path, report);
  if (rules.has_parent) return;
  report.invalid(path, quoted(amount_of(limit).to_string()),
                 fmt::format("must be nil when {} is empty", rules.parent_word));
}

void check_quota(View quota, std::string_view covered, const QuotaRules& rules,
                 const std::string& path, WebhookReport& report) {
  const std::string_view name = quota["name"].string_or("");
  if (name != covered) {
    report.invalid(path + ".name", word(name), "must match the name in coveredResources");
  }
  check_not_negative(quota["nominalQuota"], path + ".nominalQuota", report);
  if (is_set(quota["borrowingLimit"])) {
    check_limit(quota["borrowingLimit"], rules, path + ".borrowingLimit", report);
  }
  const View lending = quota["lendingLimit"];
  if (!is_set(lending)) return;
  check_limit(lending, rules, path + ".lendingLimit", report);
  if (rules.lends_within_nominal && amount_of(quota["nominalQuota"]) < amount_of(lending)) {
    report.invalid(path + ".lendingLimit", quoted(amount_of(lending).to_string()),
                   "must be less than or equal to the nominalQuota");
  }
}

void check_flavor(View flavor, View covered, const QuotaRules& rules, const std::string& path,
                  WebhookReport& report) {
  const View quotas = flavor["resources"];
  for (std::size_t i = 0; i < quotas.size() && i < covered.size(); ++i) {
    check_quota(quotas[i], covered[i].string_or(""), rules,
                fmt::format("{}.resources[{}]", path, i), report);
  }
}

}  // namespace

void check_resource_groups(View groups, const QuotaRules& rules, WebhookReport& report) {
  Names resources;
  Names flavors;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string path = fmt::format("spec.resourceGroups[{}]", i);
    const View covered = groups[i]["coveredResources"];
    for (std::size_t j = 0; j < covered.size(); ++j) {
      const std::string at = fmt::format("{}.coveredResources[{}]", path, j);
      const std::string_view name = covered[j].string_or("");
      for (std::string& sentence : objects::qualified_name_violations(name)) {
        report.invalid(at, word(name), std::move(sentence));
      }
      note(name, at, resources, report);
    }
    const View of_group = groups[i]["flavors"];
    for (std::size_t j = 0; j < of_group.size(); ++j) {
      const std::string at = fmt::format("{}.flavors[{}]", path, j);
      check_flavor(of_group[j], covered, rules, at, report);
      note(of_group[j]["name"].string_or(""), at + ".name", flavors, report);
    }
  }
}

void check_fair_sharing(View fair_sharing, WebhookReport& report) {
  if (!is_set(fair_sharing["weight"])) return;
  check_not_negative(fair_sharing["weight"], "spec.fairSharing", report);
  const Quantity weight = amount_of(fair_sharing["weight"]);
  if (weight.sign() > 0 && weight <= Quantity::of_scaled(1, QuantityScale::nano)) {
    report.invalid("spec.fairSharing", quoted(weight.to_string()),
                   "When not 0, weight must be > 10e-9");
  }
}

Names all_flavors(View groups) {
  Names names;
  for (const View group : groups.elements()) {
    for (const View flavor : group["flavors"].elements()) {
      names.insert(flavor["name"].string_or(""));
    }
  }
  return names;
}

}  // namespace muster::core
