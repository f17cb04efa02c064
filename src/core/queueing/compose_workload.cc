// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/compose_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "core/draft.h"
#include "core/queueing/elastic_slices.h"
#include "core/queueing/job_queue.h"
#include "core/queueing/pod_sets.h"
#include "core/words.h"
#include "objects/metadata.h"
#include "objects/schema/formats.h"

namespace muster::core {

using objects::MemberView;
using objects::Value;
using objects::View;

namespace {

const Value* find_named(std::span<const Value> all, std::string_view name) {
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const Value& each) { return objects::name_of(each) == name; });
  return found == all.end() ? nullptr : &*found;
}

Priority priority_from(const Value& priority_class, const objects::Resource& resource) {
  return {Value::object({{"group", Value::string(resource.group)},
                         {"kind", Value::string(resource.kind)},
                         {"name", Value::string(objects::name_of(priority_class))}}),
          priority_class["value"].integer_or(0)};
}

Error class_not_found(const objects::Resource& resource, std::string_view name) {
  return {ErrorCode::not_found,
          fmt::format("{}.{} \"{}\" not found", resource.plural, resource.group, name)};
}

std::string_view pod_priority_class(std::span<const PodSet> pod_sets) {
  for (const PodSet& set : pod_sets) {
    const auto name = set.pod_template["spec"]["priorityClassName"].string_or("");
    if (!name.empty()) return name;
  }
  return {};
}

const Value* default_class(std::span<const Value> classes) {
  const Value* lowest = nullptr;
  for (const Value& each : classes) {
    if (!each["globalDefault"].boolean_or(false)) continue;
    const auto rank = [](const Value& of) {
      return std::pair(of["value"].integer_or(0), objects::name_of(of));
    };
    if (lowest == nullptr || rank(each) < rank(*lowest)) lowest = &each;
  }
  return lowest;
}

}  // namespace

Result<Priority> priority_of(const Reconciled& given, std::span<const PodSet> pod_sets) {
  using objects::resources::priority_classes;
  using objects::resources::workload_priority_classes;
  if (const auto label = priority_class_of(given.job); !label.empty()) {
    const Value* found = find_named(given.workload_priority_classes, label);
    if (found == nullptr) return class_not_found(workload_priority_classes, label);
    return priority_from(*found, workload_priority_classes);
  }
  if (const auto name = pod_priority_class(pod_sets); !name.empty()) {
    const Value* found = find_named(given.priority_classes, name);
    if (found == nullptr) return class_not_found(priority_classes, name);
    return priority_from(*found, priority_classes);
  }
  const Value* usual = default_class(given.priority_classes);
  return usual == nullptr ? Priority{} : priority_from(*usual, priority_classes);
}

namespace {

// What a slice says of itself: that it is one, whose place it takes, and the first of them all.
void add_slice_words(StringPairs& annotations, std::string_view name, const Value* replaced) {
  annotations.emplace_back(words::elastic_job, "true");
  annotations.emplace_back(words::slice_name,
                           replaced == nullptr ? name : slice_name_of(*replaced));
  if (replaced == nullptr) return;
  annotations.emplace_back(words::slice_replacement_for, objects::key_of(*replaced).to_string());
}

}  // namespace

Result<Value> compose_workload(const Shape& shape, const Reconciled& given,
                               std::span<const PodSet> pod_sets, const Value* replaced) {
  const Priority priority = TRY(priority_of(given, pod_sets));
  const View job = given.job;
  std::vector<Value> sets;
  for (const PodSet& set : pod_sets) sets.push_back(to_value(set));
  StringPairs annotations;
  for (MemberView member : objects::annotations_of(job).members()) {
    const bool is_copied = member.key.starts_with(words::provisioning_parameter_prefix) ||
                           member.key == words::admission_gated_by;
    if (!is_copied) continue;
    annotations.emplace_back(member.key, member.value.string_or(""));
  }
  const bool is_slice = is_elastic_job(given);
  const std::string name = workload_name(
      shape.resource, job, is_slice ? std::to_string(objects::generation_of(job)) : std::string());
  if (is_slice) add_slice_words(annotations, name, replaced);
  const std::string api_version = shape.resource.api_version();
  Draft draft(Value::object(
      {{"apiVersion", Value::string(objects::resources::workloads.api_version())},
       {"kind", Value::string(objects::resources::workloads.kind)},
       {"metadata", Value::object({{"name", Value::string(name)},
                                   {"namespace", Value::string(objects::namespace_of(job))}})},
       {"spec", Value::object({{"active", Value::boolean(true)},
                               {"podSets", list_of(sets)},
                               {"priority", Value::integer(priority.value)}})}}));
  const std::string_view queue = queue_name_of(job);
  if (!queue.empty()) draft.set({"spec", "queueName"}, Value::string(queue));
  if (given.scope != nullptr) {
    for (const std::string& key : given.scope->label_keys_to_copy) {
      const auto label = objects::labels_of(job)[key].string();
      if (label) draft.set({"metadata", "labels", key}, Value::string(*label));
    }
  }
  draft.set({"metadata", "labels", words::job_uid}, Value::string(objects::uid_of(job)))
      .set({"metadata", "finalizers"}, Value::array({Value::string(words::resource_in_use)}))
      .set({"metadata", "ownerReferences"},
           Value::array({controller_reference(api_version, shape.resource.kind, job)}))
      .set_or_drop({"metadata", "annotations"}, string_map(annotations))
      .set_or_drop({"spec", "priorityClassRef"}, priority.class_reference);
  if (const auto seconds = maximum_execution_seconds_of(job)) {
    draft.set({"spec", "maximumExecutionTimeSeconds"}, Value::integer(*seconds));
  }
  if (shape.completed == nullptr) return draft.value();
  return shape.completed(given.job, draft.value());
}

Value with_controller(const Shape& shape, const Value& job, const Value& workload) {
  std::vector<Value> owners;
  for (const View owner : workload["metadata"]["ownerReferences"].elements()) {
    owners.push_back(workload.part(owner));
  }
  owners.push_back(controller_reference(shape.resource.api_version(), shape.resource.kind, job));
  return Draft(workload)
      .set({"metadata", "ownerReferences"}, list_of(owners))
      .set({"metadata", "labels", words::job_uid}, Value::string(objects::uid_of(job)))
      .value();
}

namespace {

// The pods that start together: those that were admitted, less those whose work was done since. An
// admission that came after some had ended counts the others only.
std::int64_t gang_size(View workload) {
  std::map<std::string_view, std::int64_t> rest;
  for (View each : workload["spec"]["podSets"].elements()) {
    rest[each["name"].string_or("")] = each["count"].integer_or(1);
  }
  for (View each : workload["status"]["reclaimablePods"].elements()) {
    std::int64_t& left = rest[each["name"].string_or("")];
    left = std::max<std::int64_t>(saturating_subtract(left, each["count"].integer_or(0)), 0);
  }
  std::int64_t total = 0;
  for (View each : workload["status"]["admission"]["podSetAssignments"].elements()) {
    const std::int64_t admitted = std::max<std::int64_t>(each["count"].integer_or(0), 0);
    total = saturating_add(total, std::min(admitted, rest[each["name"].string_or("")]));
  }
  return total;
}

// Tells the admissions of a Workload apart, also of one that was deleted and made anew: what ran
// before must not be counted among those that start now.
std::string gang_name(View workload) {
  std::int64_t evictions = 0;
  for (View each : workload["status"]["schedulingStats"]["evictions"].elements()) {
    evictions = saturating_add(evictions, each["count"].integer_or(0));
  }
  return fmt::format("{}.{}", objects::uid_of(workload), evictions);
}

void add_pairs(StringPairs& pairs, View map) {
  for (MemberView each : map.members()) pairs.emplace_back(each.key, each.value.string_or(""));
}

// What admission checks ask of the pods of the set.
void add_updates(PodSetInjection& injection, const Value& workload) {
  for (View check : workload["status"]["admissionChecks"].elements()) {
    for (View update : check["podSetUpdates"].elements()) {
      if (update["name"].string_or("") != injection.name) continue;
      add_pairs(injection.labels, update["labels"]);
      add_pairs(injection.annotations, update["annotations"]);
      add_pairs(injection.node_selector, update["nodeSelector"]);
      for (View toleration : update["tolerations"].elements()) {
        injection.tolerations.push_back(workload.part(toleration));
      }
    }
  }
}

bool add_flavors(PodSetInjection& injection, View assignment, std::span<const Value> flavors) {
  std::set<std::string_view> names;
  for (MemberView member : assignment["flavors"].members()) {
    names.insert(member.value.string_or(""));
  }
  for (const std::string_view name : names) {
    const Value* flavor = find_named(flavors, name);
    if (flavor == nullptr) return false;
    for (MemberView label : (*flavor)["spec"]["nodeLabels"].members()) {
      injection.node_selector.emplace_back(label.key, label.value.string_or(""));
    }
    for (View toleration : (*flavor)["spec"]["tolerations"].elements()) {
      injection.tolerations.push_back(flavor->part(toleration));
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<PodSetInjection>> injections_of(const Value& workload,
                                                          std::span<const Value> flavors) {
  const View admission = workload["status"]["admission"];
  const std::string gang = gang_name(workload);
  const std::string size = std::to_string(gang_size(workload));
  std::vector<PodSetInjection> injections;
  for (View assignment : admission["podSetAssignments"].elements()) {
    PodSetInjection injection;
    injection.name = assignment["name"].string_or("");
    injection.count = assignment["count"].integer_or(0);
    if (!add_flavors(injection, assignment, flavors)) return std::nullopt;
    injection.labels.emplace_back(words::pod_set, injection.name);
    injection.labels.emplace_back(words::local_queue_name,
                                  workload["spec"]["queueName"].string_or(""));
    const auto cluster_queue = admission["clusterQueue"].string_or("");
    if (objects::dns_label_violations(cluster_queue).empty()) {
      injection.labels.emplace_back(words::cluster_queue_name, cluster_queue);
    }
    injection.annotations.emplace_back(words::workload, objects::name_of(workload));
    if (is_slice(workload)) {
      injection.annotations.emplace_back(words::slice_name, slice_name_of(workload));
    }
    injection.annotations.emplace_back(words::gang, gang);
    injection.annotations.emplace_back(words::gang_size, size);
    add_updates(injection, workload);
    injections.push_back(std::move(injection));
  }
  return injections;
}

}  // namespace muster::core
