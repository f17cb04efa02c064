// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/validate_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/queueing/validate_gates.h"
#include "core/queueing/validate_names.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::FieldError;
using objects::MemberView;
using objects::Value;
using objects::View;

namespace {

void check_resource_list(View list, const std::string& path, const FeatureGates& gates,
                         WebhookReport& report) {
  for (const MemberView entry : list.members()) {
    const std::string at = fmt::format("{}[{}]", path, entry.key);
    if (entry.key == "pods") {
      report.invalid(at, word("pods"), "the key is reserved for internal kueue use");
    }
    if (gates.enabled(Gate::workload_validate_resources_are_non_negative))
      check_not_negative(entry.value, at, report);
  }
}

void check_resources(View resources, const std::string& path, const FeatureGates& gates,
                     WebhookReport& report) {
  check_resource_list(resources["requests"], path + ".requests", gates, report);
  check_resource_list(resources["limits"], path + ".limits", gates, report);
}

// The old pair of fields belongs together, and every slice has pods.
void check_slice_sizes(View request, const std::string& path, WebhookReport& report) {
  const View level = request["podSetSliceRequiredTopology"];
  const View size = request["podSetSliceSize"];
  const std::string size_path = path + ".podSetSliceSize";
  if (is_set(level) && !is_set(size)) {
    report.errors.add(FieldError::required(
        size_path, "must be set when podSetSliceRequiredTopology is specified"));
  } else if (is_set(level) && size.integer_or(0) <= 0) {
    report.invalid(size_path, fmt::format("{}", size.integer_or(0)), "must be greater than 0");
  } else if (!is_set(level) && is_set(size)) {
    report.errors.add(FieldError::forbidden(
        size_path, "may not be set when podSetSliceRequiredTopology is not specified"));
  }
  const View layers = request["podsetSliceRequiredTopologyConstraints"];
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::int64_t pods = layers[i]["size"].integer_or(0);
    if (pods > 0) continue;
    report.invalid(fmt::format("{}.podsetSliceRequiredTopologyConstraints[{}].size", path, i),
                   fmt::format("{}", pods), "must be greater than 0");
  }
}

void check_pod_set(View pod_set, const std::string& path, const FeatureGates& gates,
                   WebhookReport& report) {
  const View pod = pod_set["template"]["spec"];
  const std::string template_path = path + ".template";
  if (gates.enabled(Gate::workload_validation_for_pod_set_metadata)) {
    const View metadata = pod_set["template"]["metadata"];
    check_labels(metadata["labels"], template_path + ".metadata.labels", report);
    check_annotations(metadata["annotations"], template_path + ".metadata.annotations", report);
  }
  for (const std::string_view containers : {"initContainers", "containers"}) {
    for (std::size_t i = 0; i < pod[containers].size(); ++i) {
      check_resources(pod[containers][i]["resources"],
                      fmt::format("{}.spec.{}[{}].resources", template_path, containers, i), gates,
                      report);
    }
  }
  check_resources(pod["resources"], template_path + ".spec.resources", gates, report);
  const View request = pod_set["topologyRequest"];
  const std::string request_path = path + ".topologyRequest";
  if (gates.enabled(Gate::tas_validate_workload_slice_size) && is_set(request))
    check_slice_sizes(request, request_path, report);
  const std::int64_t groups = request["subGroupCount"].integer_or(0);
  if (groups < 0) {
    const std::string field = request_path + ".subGroupCount";
    report.warnings.push_back(
        {field, fmt::format("{}: negative value {} is deprecated and will be rejected in a future "
                            "release",
                            field, groups)});
  }
}

void check_pod_sets(View workload, const FeatureGates& gates, WebhookReport& report) {
  const View pod_sets = workload["spec"]["podSets"];
  std::int64_t variable = 0;
  for (std::size_t i = 0; i < pod_sets.size(); ++i) {
    check_pod_set(pod_sets[i], fmt::format("spec.podSets[{}]", i), gates, report);
    if (is_set(pod_sets[i]["minCount"])) ++variable;
  }
  if (variable > 1) {
    report.invalid("spec.podSets", fmt::format("{}", variable),
                   "at most one podSet can use minCount");
  }
  if (variable > 0 && is_elastic(workload, gates)) {
    report.invalid("spec.podSets", fmt::format("{}", variable),
                   "partial admission and elastic job cannot be used together");
  }
}

std::vector<std::string> pod_set_names(View workload) {
  std::vector<std::string> names;
  for (const View pod_set : workload["spec"]["podSets"].elements()) {
    names.emplace_back(pod_set["name"].string_or(""));
  }
  return names;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A share of a pod set is the same for each of its pods.
void check_usage(View assignment, const std::string& path, WebhookReport& report) {
  const std::int64_t count = assignment["count"].integer_or(0);
  if (count <= 0) return;
  for (const MemberView usage : assignment["resourceUsage"].members()) {
    const Quantity amount = amount_of(usage.value);
    const auto scale = usage.key == "cpu" ? QuantityScale::milli : QuantityScale::unit;
    if (amount.saturated_value(scale) % count == 0) continue;
    report.invalid(fmt::format("{}.resourceUsage[{}]", path, usage.key), word(amount.to_string()),
                   fmt::format("is not a multiple of {}", count));
  }
}

bool reserves_without_admission(View workload) {
  return reserves_quota(workload) && !is_set(workload["status"]["admission"]);
}

void check_admission(View workload, View old_workload, WebhookReport& report) {
  const View admission = workload["status"]["admission"];
  if (!is_set(admission)) {
    // One that was stored like this may go on, or it could never be cleaned up.
    if (reserves_without_admission(old_workload)) return;
    report.errors.add(FieldError::required(
        "status.admission", "must be set while the QuotaReserved condition is true"));
    return;
  }
  const std::vector<std::string> names = pod_set_names(workload);
  const View assignments = admission["podSetAssignments"];
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    const std::string path = fmt::format("status.admission.podSetAssignments[{}]", i);
    const std::string_view name = assignments[i]["name"].string_or("");
    if (!contains(names, name)) {
      report.errors.add({FieldError::Type::not_found, path + ".name", word(name), {}});
    }
    check_usage(assignments[i], path, report);
  }
}

// An elastic job that shrinks leaves a count behind that is too large for a moment.
bool is_left_behind(View reclaimable, View workload, View old_workload, const FeatureGates& gates) {
  if (!is_elastic(workload, gates)) return false;
  for (const View old : old_workload["status"]["reclaimablePods"].elements()) {
    if (old["name"].string_or("") == reclaimable["name"].string_or("") &&
        old["count"].integer_or(0) == reclaimable["count"].integer_or(0)) {
      return true;
    }
  }
  return false;
}

void check_reclaimable_pods(View workload, View old_workload, const FeatureGates& gates,
                            WebhookReport& report) {
  const std::vector<std::string> names = pod_set_names(workload);
  std::map<std::string_view, std::int64_t> counts;
  for (const View pod_set : workload["spec"]["podSets"].elements()) {
    counts[pod_set["name"].string_or("")] = pod_set["count"].integer_or(0);
  }
  for (const View reclaimable : workload["status"]["reclaimablePods"].elements()) {
    const std::string_view name = reclaimable["name"].string_or("");
    const std::string path = fmt::format("status.reclaimablePods[{}]", name);
    const auto known = counts.find(name);
    if (known == counts.end()) {
      FieldError error = FieldError::not_supported(path + ".name", View(), names);
      error.value = word(name);
      report.errors.add(std::move(error));
      continue;
    }
    const std::int64_t count = reclaimable["count"].integer_or(0);
    if (count <= known->second) continue;
    if (is_left_behind(reclaimable, workload, old_workload, gates)) continue;
    report.invalid(path + ".count", fmt::format("{}", count),
                   fmt::format("should be less or equal to {}", known->second));
  }
}

void check_pod_set_updates(View workload, WebhookReport& report) {
  std::vector<std::string> names = pod_set_names(workload);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const View checks = workload["status"]["admissionChecks"];
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const View updates = checks[i]["podSetUpdates"];
    for (std::size_t j = 0; j < updates.size(); ++j) {
      const std::string path = fmt::format("status.admissionChecks[{}].podSetUpdates[{}]", i, j);
      const std::string_view name = updates[j]["name"].string_or("");
      if (!contains(names, name)) {
        FieldError error = FieldError::not_supported(path + ".name", View(), names);
        error.value = word(name);
        report.errors.add(std::move(error));
      }
      check_tolerations(updates[j]["tolerations"], path + ".tolerations", report);
      check_annotations(updates[j]["annotations"], path + ".annotations", report);
      check_labels(updates[j]["nodeSelector"], path + ".nodeSelector", report);
      check_labels(updates[j]["labels"], path + ".labels", report);
    }
  }
}

bool is_int32(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

void check_priority_boost(View annotations, WebhookReport& report) {
  const View annotation = annotations[words::priority_boost];
  if (!annotation) return;
  const std::string_view boost = annotation.string_or("");
  const std::string path = fmt::format("metadata.annotations[{}]", words::priority_boost);
  if (boost.empty()) {
    report.invalid(path, quoted(boost),
                   "must be a valid signed integer; use \"0\" explicitly, empty string is not "
                   "allowed");
  } else if (!is_int32(boost)) {
    report.invalid(path, quoted(boost), "must be a valid signed integer");
  }
}

}  // namespace

bool reserves_quota(View workload) {
  return objects::is_true(objects::condition(workload, "QuotaReserved"));
}

bool is_elastic(View workload, const FeatureGates& gates) {
  return gates.enabled(Gate::elastic_jobs_via_workload_slices) &&
         objects::annotations_of(workload)[words::elastic_job].string_or("") == "true";
}

void check_workload(const Value& workload, const Value& old_workload, const FeatureGates& gates,
                    WebhookReport& report) {
  check_pod_sets(workload, gates, report);
  if (reserves_quota(workload)) check_admission(workload, old_workload, report);
  check_conditions(workload["status"]["conditions"], "status.conditions", report);
  check_reclaimable_pods(workload, old_workload, gates, report);
  check_pod_set_updates(workload, report);
  const View annotations = objects::annotations_of(workload);
  if (gates.enabled(Gate::admission_gated_by)) {
    check_admission_gates(annotations[words::admission_gated_by], report);
  }
  if (gates.enabled(Gate::priority_boost)) check_priority_boost(annotations, report);
}

}  // namespace muster::core
