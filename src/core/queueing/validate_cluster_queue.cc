// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/validate_cluster_queue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/queueing/validate_names.h"
#include "core/queueing/validate_quotas.h"
#include "objects/go_structs.h"

namespace muster::core {

using objects::FieldError;
using objects::Value;
using objects::View;

namespace {

using Names = std::set<std::string_view>;

constexpr std::size_t flavors_max = 256;
constexpr std::size_t covered_resources_max = 256;
constexpr std::size_t combinations_max = 512;
constexpr std::size_t concurrent_flavors_max = 16;

void check_preemption(const Value& queue, WebhookReport& report) {
  const View preemption = queue["spec"]["preemption"];
  const View borrowing = preemption["borrowWithinCohort"];
  if (preemption["reclaimWithinCohort"].string_or("") != "Never" || !is_set(borrowing)) return;
  if (borrowing["policy"].string_or("") == "Never") return;
  report.invalid("spec.preemption",
                 objects::to_go_json(objects::go_type("kueue.v1beta2.ClusterQueuePreemption"),
                                     queue.part(preemption)),
                 "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never");
}

void check_fungibility(View fungibility, WebhookReport& report) {
  const View preference = fungibility["preference"];
  if (!is_set(preference)) return;
  const auto tries_next = [&](std::string_view when) {
    return fungibility[when].string_or("") == "TryNextFlavor";
  };
  if (tries_next("whenCanBorrow") && tries_next("whenCanPreempt")) return;
  const std::string_view name = preference.string_or("");
  report.invalid(
      "spec.flavorFungibility.preference", word(name),
      fmt::format(
          "preference {} requires both whenCanBorrow and whenCanPreempt to be TryNextFlavor",
          quoted(name)));
}

void check_totals(View groups, WebhookReport& report) {
  constexpr std::string_view path = "spec.resourceGroups";
  std::size_t flavors = 0;
  std::size_t resources = 0;
  for (const View group : groups.elements()) {
    flavors += group["flavors"].size();
    resources += group["coveredResources"].size();
  }
  const auto refuse = [&](std::string at, std::size_t total, std::string_view what,
                          std::size_t most) {
    if (total <= most) return;
    report.invalid(std::move(at), fmt::format("{}", total),
                   fmt::format("{} must be ≤ {}, got {}", what, most, total));
  };
  refuse(std::string(path), flavors, "total number of flavors across all resourceGroups",
         flavors_max);
  refuse(std::string(path), resources,
         "total number of covered resources across all resourceGroups", covered_resources_max);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::size_t combinations = 0;
    for (const View flavor : groups[i]["flavors"].elements()) {
      combinations += flavor["resources"].size();
    }
    refuse(fmt::format("{}[{}]", path, i), combinations,
           "number of flavor-resource combinations in a resourceGroup", combinations_max);
  }
}

void check_migration_constraints(View migration, const Names& flavors, WebhookReport& report) {
  const std::string path = "spec.concurrentAdmissionPolicy.migration.constraints";
  constexpr std::string_view constrained_mode = "TryPreferredFlavors";
  const View constraints = migration["constraints"];
  if (!is_set(constraints)) return;
  const std::string_view mode = migration["mode"].string_or("");
  if (!mode.empty() && mode != constrained_mode) {
    report.errors.add(FieldError::forbidden(
        path, fmt::format("may only be set when migration.mode is {} (got {})",
                          quoted(constrained_mode), quoted(mode))));
    return;
  }
  const View last = constraints["lastAcceptableFlavorName"];
  if (!is_set(last) || flavors.contains(last.string_or(""))) return;
  report.invalid(path + ".lastAcceptableFlavorName", word(last.string_or("")),
                 fmt::format("must be one of the flavors defined in the ClusterQueue: [{}]",
                             fmt::join(flavors, " ")));
}

void check_concurrent_admission(View spec, WebhookReport& report) {
  const View policy = spec["concurrentAdmissionPolicy"];
  if (!is_set(policy)) return;
  const View groups = spec["resourceGroups"];
  if (groups.size() != 1) {
    report.invalid("spec.resourceGroups", fmt::format("{}", groups.size()),
                   "must have exactly one ResourceGroup when ConcurrentAdmissionPolicy is defined");
  }
  const std::size_t flavors = groups[0]["flavors"].size();
  if (groups.size() == 1 && flavors > concurrent_flavors_max) {
    report.invalid("spec.resourceGroups[0].flavors", fmt::format("{}", flavors),
                   "cannot have more than 16 resource flavors in the ResourceGroup when "
                   "ConcurrentAdmissionPolicy is defined");
  }
  check_migration_constraints(policy["migration"], all_flavors(groups), report);
  if (spec["queueingStrategy"].string_or("") == "StrictFIFO") {
    report.invalid("spec.queueingStrategy", word("StrictFIFO"),
                   "StrictFIFO queueing strategy cannot be used when ConcurrentAdmissionPolicy is "
                   "defined");
  }
}

using FlavorsOfCheck = std::map<std::string_view, Names>;

Names names_in(View list) {
  Names names;
  for (const View name : list.elements()) names.insert(name.string_or(""));
  return names;
}

// What an update may keep although it is wrong: the flavors of checks that were stored so.
FlavorsOfCheck kept_on_flavors(View spec, View old_spec, const FeatureGates& gates) {
  FlavorsOfCheck kept;
  if (gates.enabled(Gate::reject_updates_to_cq_with_invalid_on_flavors) || !old_spec) return kept;
  if (all_flavors(old_spec["resourceGroups"]) != all_flavors(spec["resourceGroups"])) return kept;
  for (const View check : old_spec["admissionChecksStrategy"]["admissionChecks"].elements()) {
    kept[check["name"].string_or("")] = names_in(check["onFlavors"]);
  }
  return kept;
}

void check_on_flavors(View spec, const FlavorsOfCheck& kept, WebhookReport& report) {
  const Names flavors = all_flavors(spec["resourceGroups"]);
  const std::vector<std::string> supported(flavors.begin(), flavors.end());
  const View checks = spec["admissionChecksStrategy"]["admissionChecks"];
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const View on_flavors = checks[i]["onFlavors"];
    const auto before = kept.find(checks[i]["name"].string_or(""));
    if (before != kept.end() && before->second == names_in(on_flavors)) continue;
    for (std::size_t j = 0; j < on_flavors.size(); ++j) {
      const std::string_view flavor = on_flavors[j].string_or("");
      if (flavors.contains(flavor)) continue;
      FieldError error = FieldError::not_supported(
          fmt::format("spec.admissionChecksStrategy.admissionChecks[{}].onFlavors[{}]", i, j),
          on_flavors[j], supported);
      error.value = word(flavor);
      report.errors.add(std::move(error));
    }
  }
}

void check_policy_unchanged(const Value& queue, View old_queue, WebhookReport& report) {
  const View now = queue["spec"]["concurrentAdmissionPolicy"];
  const View before = old_queue["spec"]["concurrentAdmissionPolicy"];
  const auto type = objects::go_type("kueue.v1beta2.ConcurrentAdmissionPolicy");
  if (is_set(now) == is_set(before) && (!is_set(now) || objects::go_equal(type, now, before))) {
    return;
  }
  report.invalid("spec.concurrentAdmissionPolicy",
                 is_set(now) ? objects::to_go_json(type, queue.part(now)) : "null",
                 "field is immutable");
}

}  // namespace

void check_cluster_queue(const Value& queue, const Value& old_queue, const FeatureGates& gates,
                         WebhookReport& report) {
  const View spec = queue["spec"];
  const QuotaRules rules{.has_parent = !spec["cohortName"].string_or("").empty(),
                         .lends_within_nominal = true,
                         .parent_word = "cohort"};
  check_resource_groups(spec["resourceGroups"], rules, report);
  check_label_selector(spec["namespaceSelector"], "spec.namespaceSelector", report);
  check_preemption(queue, report);
  check_fungibility(spec["flavorFungibility"], report);
  check_fair_sharing(spec["fairSharing"], report);
  check_totals(spec["resourceGroups"], report);
  if (gates.enabled(Gate::concurrent_admission)) check_concurrent_admission(spec, report);
  check_on_flavors(spec, kept_on_flavors(spec, old_queue["spec"], gates), report);
  if (old_queue) check_policy_unchanged(queue, old_queue, report);
}

}  // namespace muster::core
