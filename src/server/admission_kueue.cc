// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "objects/metadata.h"
#include "server/admission.h"

// What Kueue's webhooks ask beyond the rules of its CRDs, in their words.

namespace muster::server {

using objects::FieldError;
using objects::FieldErrors;
using objects::View;

namespace {

using Names = std::set<std::string, std::less<>>;

// The amount, or zero where the schema has refused it already.
Quantity amount(View value) {
  if (const auto whole = value.integer()) return Quantity::of(*whole);
  const auto parsed = Quantity::parse(value.string_or("0"));
  return parsed ? *parsed : Quantity();
}

void check_not_negative(View value, const std::string& path, FieldErrors& errors) {
  if (value && amount(value).sign() < 0) {
    errors.add(FieldError::invalid(path, value, "must be greater than or equal to 0"));
  }
}

void check_limit(View value, bool has_cohort, const std::string& path, FieldErrors& errors) {
  if (!value) return;
  check_not_negative(value, path, errors);
  if (!has_cohort) {
    errors.add(FieldError::invalid(path, value, "must be nil when cohort is empty"));
  }
}

void check_quota(View quota, View covered, bool has_cohort, const std::string& path,
                 FieldErrors& errors) {
  if (!(quota["name"] == covered)) {
    errors.add(FieldError::invalid(path + ".name", quota["name"],
                                   "must match the name in coveredResources"));
  }
  check_not_negative(quota["nominalQuota"], path + ".nominalQuota", errors);
  check_limit(quota["borrowingLimit"], has_cohort, path + ".borrowingLimit", errors);
  const View lending = quota["lendingLimit"];
  check_limit(lending, has_cohort, path + ".lendingLimit", errors);
  if (lending && amount(quota["nominalQuota"]) < amount(lending)) {
    errors.add(FieldError::invalid(path + ".lendingLimit", lending,
                                   "must be less than or equal to the nominalQuota"));
  }
}

void check_group(View group, bool has_cohort, const std::string& path, Names& resources,
                 Names& flavors, FieldErrors& errors) {
  const View covered = group["coveredResources"];
  for (std::size_t i = 0; i < covered.size(); ++i) {
    if (resources.emplace(covered[i].string_or("")).second) continue;
    errors.add(FieldError::duplicate(fmt::format("{}.coveredResources[{}]", path, i), covered[i]));
  }
  for (std::size_t i = 0; i < group["flavors"].size(); ++i) {
    const View flavor = group["flavors"][i];
    const std::string at = fmt::format("{}.flavors[{}]", path, i);
    const View quotas = flavor["resources"];
    for (std::size_t q = 0; q < quotas.size() && q < covered.size(); ++q) {
      check_quota(quotas[q], covered[q], has_cohort, fmt::format("{}.resources[{}]", at, q),
                  errors);
    }
    if (!flavors.emplace(flavor["name"].string_or("")).second) {
      errors.add(FieldError::duplicate(at + ".name", flavor["name"]));
    }
  }
}

void check_cluster_queue(View spec, FieldErrors& errors) {
  Names resources;
  Names flavors;
  const bool has_cohort = !spec["cohortName"].string_or("").empty();
  const View groups = spec["resourceGroups"];
  for (std::size_t i = 0; i < groups.size(); ++i) {
    check_group(groups[i], has_cohort, fmt::format("spec.resourceGroups[{}]", i), resources,
                flavors, errors);
  }
  const std::vector<std::string> known(flavors.begin(), flavors.end());
  const View checks = spec["admissionChecksStrategy"]["admissionChecks"];
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const View on = checks[i]["onFlavors"];
    for (std::size_t j = 0; j < on.size(); ++j) {
      if (flavors.contains(on[j].string_or(""))) continue;
      errors.add(FieldError::not_supported(
          fmt::format("spec.admissionChecksStrategy.admissionChecks[{}].onFlavors[{}]", i, j),
          on[j], known));
    }
  }
}

// The gang that quota was reserved for stays the gang.
void check_workload_update(Admission& admission) {
  const View old = admission.old_object;
  if (!objects::is_true(objects::condition(old, "QuotaReserved"))) return;
  const View now = admission.object["spec"]["podSets"];
  if (now == old["spec"]["podSets"]) return;
  admission.errors.add(FieldError::invalid("spec.podSets", now, "field is immutable"));
}

}  // namespace

Outcome<> admit_kueue(Admission& admission) {
  if (admission.target.is_status()) return {};
  if (admission.target.kind->kind == "ClusterQueue") {
    check_cluster_queue(admission.object["spec"], admission.errors);
  }
  if (admission.target.kind->kind == "Workload" && !admission.is_create()) {
    check_workload_update(admission);
  }
  return {};
}

}  // namespace muster::server
