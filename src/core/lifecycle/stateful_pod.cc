// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/stateful_pod.h"

#include <fmt/format.h>

#include <charconv>

#include "core/draft.h"
#include "core/lifecycle/replica_pods.h"
#include "core/words.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "objects/resource.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace resources = objects::resources;

namespace {

constexpr std::size_t hash_length = 10;

std::string claim_name(View claim, std::string_view pod) {
  return fmt::format("{}-{}", objects::name_of(claim), pod);
}

// Volumes of the template that a claim's name takes the place of, and one for each claim.
Value volumes_with_claims(const Value& pod, const Value& set, std::string_view pod_name) {
  std::vector<Value> volumes;
  const View claims = set["spec"]["volumeClaimTemplates"];
  const auto is_claimed = [&](std::string_view name) {
    for (View claim : claims.elements()) {
      if (objects::name_of(claim) == name) return true;
    }
    return false;
  };
  for (View claim : claims.elements()) {
    const Value source = Value::object({{"claimName", Value::string(claim_name(claim, pod_name))}});
    volumes.push_back(Value::object(
        {{"name", Value::string(objects::name_of(claim))}, {"persistentVolumeClaim", source}}));
  }
  for (View volume : pod["spec"]["volumes"].elements()) {
    if (!is_claimed(volume["name"].string_or(""))) volumes.push_back(pod.part(volume));
  }
  return list_of(volumes);
}

}  // namespace

std::optional<std::int64_t> ordinal_of(View set, View pod) {
  std::string_view name = objects::name_of(pod);
  const std::string_view base = objects::name_of(set);
  if (!name.starts_with(base) || name.size() <= base.size() + 1 || name[base.size()] != '-') {
    return std::nullopt;
  }
  name.remove_prefix(base.size() + 1);
  std::int64_t ordinal = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), ordinal);
  if (read.ec != std::errc() || read.ptr != name.data() + name.size() || ordinal < 0) {
    return std::nullopt;
  }
  return ordinal;
}

std::string stateful_pod_name(View set, std::int64_t ordinal) {
  return fmt::format("{}-{}", objects::name_of(set), ordinal);
}

Value stateful_pod(const Value& set, const Value& revision, std::int64_t ordinal) {
  const Value as_of_then =
      Draft(set)
          .set({"spec", "template"}, revision.part(revision["data"]["spec"]["template"]))
          .value();
  const std::string name = stateful_pod_name(set, ordinal);
  const Value name_text = Value::string(name);
  const Value pod = pod_of_template(resources::stateful_sets, as_of_then);
  Draft draft(pod);
  draft.set({"metadata", "name"}, name_text)
      .set({"metadata", "generateName"}, Value::string(fmt::format("{}-", objects::name_of(set))))
      .set({"metadata", "labels", "statefulset.kubernetes.io/pod-name"}, name_text)
      .set({"metadata", "labels", words::stateful_pod_index},
           Value::string(std::to_string(ordinal)))
      .set({"metadata", "labels", revision_hash_label}, Value::string(objects::name_of(revision)))
      .set({"spec", "hostname"}, name_text)
      .set_or_drop({"spec", "subdomain"}, set.part(set["spec"]["serviceName"]))
      .set_or_drop({"spec", "volumes"}, volumes_with_claims(pod, set, name));
  return draft.value();
}

std::vector<Value> stateful_claims(const Value& set, std::int64_t ordinal) {
  std::vector<Value> claims;
  const std::string pod = stateful_pod_name(set, ordinal);
  for (View each : set["spec"]["volumeClaimTemplates"].elements()) {
    Draft claim(set.part(each));
    claim.set({"apiVersion"}, Value::string("v1"))
        .set({"kind"}, Value::string("PersistentVolumeClaim"))
        .set({"metadata", "name"}, Value::string(claim_name(each, pod)))
        .set({"metadata", "namespace"}, Value::string(objects::namespace_of(set)))
        .drop({"metadata", "creationTimestamp"})
        .drop({"status"});
    for (const objects::MemberView label : set["spec"]["selector"]["matchLabels"].members()) {
      claim.set({"metadata", "labels", label.key}, set.part(label.value));
    }
    claims.push_back(claim.value());
  }
  return claims;
}

std::string revision_name(const Value& set) {
  return fmt::format("{}-{}", objects::name_of(set),
                     suffix_following(objects::to_json(set["spec"]["template"]), hash_length));
}

Value revision_of_template(const objects::Resource& resource, const Value& set,
                           std::int64_t number) {
  const std::string name = revision_name(set);
  Draft pod_template(set.part(set["spec"]["template"]));
  pod_template.set({"$patch"}, Value::string("replace"));
  Draft revision(
      Value::object({{"apiVersion", Value::string(resources::controller_revisions.api_version())},
                     {"kind", Value::string(resources::controller_revisions.kind)}}));
  revision.set({"metadata", "name"}, Value::string(name))
      .set({"metadata", "namespace"}, Value::string(objects::namespace_of(set)))
      .set_or_drop({"metadata", "labels"}, set.part(set["spec"]["selector"]["matchLabels"]))
      .set({"metadata", "labels", "controller.kubernetes.io/hash"},
           Value::string(name.substr(name.size() - hash_length)))
      .set({"metadata", "ownerReferences"},
           Value::array({controller_reference(resource.api_version(), resource.kind, set)}))
      .set({"data"}, Value::object({{"spec", Value::object({{"template", pod_template.value()}})}}))
      .set({"revision"}, Value::integer(number));
  return revision.value();
}

}  // namespace muster::core
