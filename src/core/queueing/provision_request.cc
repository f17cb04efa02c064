// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/provision_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/sha1.h"
#include "core/draft.h"
#include "core/queueing/compose_workload.h"
#include "core/queueing/pod_sets.h"
#include "core/queueing/role_hash.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::MemberView;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view consume_annotation = "autoscaling.x-k8s.io/consume-provisioning-request";
constexpr std::string_view class_annotation = "autoscaling.x-k8s.io/provisioning-class-name";

std::string limited(const std::string& name) {
  constexpr std::size_t digits = 5;
  constexpr std::size_t bytes_max = 252 - digits;
  if (name.size() <= bytes_max) return name;
  return fmt::format("{}-{}", name.substr(0, bytes_max), hex(sha1(name)).substr(0, digits));
}

bool uses(View pod_spec, View resources) {
  std::set<std::string_view> managed;
  for (View each : resources.elements()) managed.insert(each.string_or(""));
  if (managed.empty()) return true;
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (View container : pod_spec[list].elements()) {
      for (const std::string_view kind : {"requests", "limits"}) {
        for (const MemberView member : container["resources"][kind].members()) {
          if (managed.contains(member.key)) return true;
        }
      }
    }
  }
  return false;
}

bool is_alike(const PodSet& a, const PodSet& b, std::string_view policy) {
  if (policy == "IdenticalPodTemplates") {
    return a.pod_template["spec"] == b.pod_template["spec"];
  }
  return policy == "IdenticalWorkloadSchedulingRequirements" &&
         role_text(a.pod_template["spec"]) == role_text(b.pod_template["spec"]);
}

// A limit without a request is a request.
Value with_requests(const Value& pod_template) {
  Value next = pod_template;
  for (const std::string_view list : {"initContainers", "containers"}) {
    const View containers = pod_template["spec"][list];
    for (std::size_t i = 0; i < containers.size(); ++i) {
      for (const MemberView limit : containers[i]["resources"]["limits"].members()) {
        if (containers[i]["resources"]["requests"][limit.key]) continue;
        next = Draft(next)
                   .set({"spec", list, i, "resources", "requests", limit.key},
                        pod_template.part(limit.value))
                   .value();
      }
    }
  }
  return next;
}

Value owned_object(const Provisioning& given, const objects::Resource& resource,
                   std::string_view name) {
  Draft draft(Value::object({{"apiVersion", Value::string(resource.api_version())},
                             {"kind", Value::string(resource.kind)}}));
  draft.set({"metadata", "name"}, Value::string(name))
      .set({"metadata", "namespace"}, Value::string(objects::namespace_of(given.workload)))
      .set({"metadata", "labels", words::managed}, Value::string("true"))
      .set(
          {"metadata", "ownerReferences"},
          Value::array({controller_reference(objects::resources::workloads.api_version(),
                                             objects::resources::workloads.kind, given.workload)}));
  return draft.value();
}

}  // namespace

std::string provisioning_request_name(std::string_view workload, std::string_view check,
                                      std::int64_t attempt) {
  return limited(fmt::format("{}-{}-{}", workload, check, attempt));
}

std::string pod_template_name(std::string_view request, std::string_view pod_set) {
  return limited(fmt::format("ppt-{}-{}", request, pod_set));
}

std::vector<PodSet> provisioned_sets(const Provisioning& given, View config) {
  const std::string_view policy = config["spec"]["podSetMergePolicy"].string_or("");
  std::vector<PodSet> sets;
  for (PodSet& set : pod_sets_of(given.workload)) {
    if (set.count <= 0 || !uses(set.pod_template["spec"], config["spec"]["managedResources"])) {
      continue;
    }
    for (View each : given.workload["status"]["admission"]["podSetAssignments"].elements()) {
      if (each["name"].string_or("") == set.name) set.count = each["count"].integer_or(set.count);
    }
    if (set.count <= 0) continue;
    const auto alike = std::find_if(sets.begin(), sets.end(), [&](const PodSet& other) {
      return is_alike(other, set, policy);
    });
    if (alike != sets.end()) {
      alike->count += set.count;
    } else {
      sets.push_back(std::move(set));
    }
  }
  return sets;
}

Result<Value> pod_template_of(const Provisioning& given, std::string_view name, const PodSet& set) {
  const auto injections = injections_of(given.workload, given.flavors);
  PodSetInjection nodes;
  if (injections) {
    for (const PodSetInjection& each : *injections) {
      if (each.name != set.name) continue;
      nodes.node_selector = each.node_selector;
      nodes.tolerations = each.tolerations;
    }
  }
  const Value pod_template = with_requests(TRY(injected(set.pod_template, nodes)));
  return Draft(owned_object(given, pod_templates, name)).set({"template"}, pod_template).value();
}

Value request_of(const Provisioning& given, View config, std::string_view name,
                 std::span<const PodSet> sets) {
  StringPairs parameters;
  for (const MemberView each : config["spec"]["parameters"].members()) {
    parameters.emplace_back(each.key, each.value.string_or(""));
  }
  for (const MemberView each : objects::annotations_of(given.workload).members()) {
    if (!each.key.starts_with(words::provisioning_parameter_prefix)) continue;
    parameters.emplace_back(each.key.substr(words::provisioning_parameter_prefix.size()),
                            each.value.string_or(""));
  }
  std::vector<Value> pod_sets;
  for (const PodSet& set : sets) {
    const Value reference =
        Value::object({{"name", Value::string(pod_template_name(name, set.name))}});
    pod_sets.push_back(
        Value::object({{"podTemplateRef", reference}, {"count", Value::integer(set.count)}}));
  }
  return Draft(owned_object(given, provisioning_requests, name))
      .set({"spec", "provisioningClassName"},
           Value::string(config["spec"]["provisioningClassName"].string_or("")))
      .set({"spec", "podSets"}, list_of(pod_sets))
      .set_or_drop({"spec", "parameters"}, string_map(parameters))
      .value();
}

Value updates_of(View workload, View request, View config) {
  const std::string_view name = objects::name_of(request);
  std::vector<Value> updates;
  for (View asked : request["spec"]["podSets"].elements()) {
    std::string_view pod_set;
    for (View set : workload["spec"]["podSets"].elements()) {
      const std::string_view candidate = set["name"].string_or("");
      const auto made_for = pod_template_name(name, candidate);
      if (asked["podTemplateRef"]["name"].string_or("") == made_for) pod_set = candidate;
    }
    StringPairs selector;
    for (View each : config["spec"]["podSetUpdates"]["nodeSelector"].elements()) {
      const View detail = request["status"]["provisioningClassDetails"]
                                 [each["valueFromProvisioningClassDetail"].string_or("")];
      if (detail) selector.emplace_back(each["key"].string_or(""), detail.string_or(""));
    }
    const Value annotations =
        string_map({{std::string(consume_annotation), std::string(name)},
                    {std::string(class_annotation),
                     std::string(request["spec"]["provisioningClassName"].string_or(""))}});
    Draft update(Value::object({{"name", Value::string(pod_set)}, {"annotations", annotations}}));
    updates.push_back(update.set_or_drop({"nodeSelector"}, string_map(selector)).value());
  }
  return list_of(updates);
}

}  // namespace muster::core
