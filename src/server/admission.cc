// SPDX-License-Identifier: Apache-2.0
#include "server/admission.h"

#include <vector>

#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/resource.h"
#include "objects/rewrite.h"
#include "server/admission_policies.h"
#include "server/custom_definition.h"
#include "server/pod_warnings.h"

namespace muster::server {

using objects::Builder;
using objects::MemberView;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view reserved_prefix = "muster.dev/";
constexpr std::string_view webhook_group = "admissionregistration.k8s.io";

// Tenants say with these how a pretend pod behaves, and where a queue wants its pods.
constexpr std::string_view open_prefixes[] = {"muster.dev/pretend-", "muster.dev/placement"};

bool is_reserved(std::string_view annotation) {
  if (!annotation.starts_with(reserved_prefix)) return false;
  for (const std::string_view open : open_prefixes) {
    if (annotation.starts_with(open)) return false;
  }
  return true;
}

bool has_reserved(View annotations) {
  for (const MemberView member : annotations.members()) {
    if (is_reserved(member.key)) return true;
  }
  return false;
}

}  // namespace

std::string_view name_of(Operation operation) {
  switch (operation) {
    case Operation::create:
      return "CREATE";
    case Operation::update:
      return "UPDATE";
    case Operation::remove:
      return "DELETE";
    case Operation::connect:
      return "CONNECT";
  }
  return "CREATE";
}

bool is_part_of_muster(const Identity& identity) {
  return identity.name.starts_with("system:muster:") || identity.name.starts_with("system:node:");
}

Value without_reserved_annotations(const Value& object, View old_object) {
  const View annotations = objects::annotations_of(object);
  const View old = objects::annotations_of(old_object);
  if (!has_reserved(annotations) && !has_reserved(old)) return object;
  Builder builder;
  builder.retain(object);
  std::vector<Node::Member> members;
  for (const MemberView member : annotations.members()) {
    if (is_reserved(member.key)) continue;
    members.push_back({builder.text(member.key), member.value.node()});
  }
  for (const MemberView member : old.members()) {
    if (!is_reserved(member.key)) continue;
    members.push_back({builder.text(member.key), builder.copy(member.value)});
  }
  Rewrite metadata(object["metadata"]);
  metadata.set("annotations", members.empty() ? Node() : builder.object(members));
  Rewrite root(object);
  root.set("metadata", metadata.finish(builder));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

Outcome<> check_namespace(Context& context, const Target& target) {
  if (!target.is_namespaced()) return {};
  const auto namespaces = context.registry.find_resource("", "namespaces");
  const CachedObject* found = context.cache.find(*namespaces, "", target.name_space);
  if (found == nullptr) {
    return not_found(
        {.kind = namespaces, .version = &namespaces->storage_version(), .name = target.name_space});
  }
  if (!found->is_being_deleted) return {};
  return failures::namespace_terminating(target.resource(), target.name, target.name_space);
}

Outcome<> admit(Context& context, Admission& admission) {
  ALLOWED(restrict_node(context, admission));
  if (!is_part_of_muster(admission.identity)) {
    admission.object = without_reserved_annotations(admission.object, admission.old_object);
  }
  const Target& target = admission.target;
  if (may_be_superseded(target)) admit_superseded(context, admission);
  warn_of_pods(admission);
  const objects::Kind& stored = target.kind->stored_kind();
  if (stored.group.empty() && stored.kind == "Event") return admit_event(admission);
  if (target.kind->group.empty()) {
    if (target.kind->kind == "Pod") return admit_pod(context, admission);
    if (target.kind->kind == "Namespace") return admit_namespace(admission);
    if (target.kind->kind == "Service") return admit_service(context, admission);
    if (target.kind->kind == "Endpoints") return admit_endpoints(admission);
    if (target.kind->kind == "Secret") return admit_token(context, admission);
    return {};
  }
  if (target.is("discovery.k8s.io", "endpointslices")) return admit_endpoints(admission);
  if (target.is("batch", "jobs")) return admit_job(context, admission);
  if (target.is("apps", "deployments")) return queue_deployment(context, admission);
  if (target.is("apps", "statefulsets")) return queue_stateful_set(context, admission);
  if (target.kind->group == rbac_group) return admit_rbac(context, admission);
  if (target.kind->group == objects::resources::kueue_group) return admit_kueue(admission);
  if (target.is(webhook_group, "mutatingwebhookconfigurations") ||
      target.is(webhook_group, "validatingwebhookconfigurations")) {
    return admit_webhook_configuration(admission);
  }
  if (target.is(webhook_group, "validatingadmissionpolicies")) {
    return admit_admission_policy(admission);
  }
  if (target.is(webhook_group, "validatingadmissionpolicybindings")) {
    return admit_policy_binding(admission);
  }
  if (target.is("storage.k8s.io", "csidrivers")) {
    warn_of_tokens(admission);
    return {};
  }
  if (target.is("resource.k8s.io", "resourceclaims") ||
      target.is("resource.k8s.io", "resourceclaimtemplates")) {
    return admit_device_claim(context, admission);
  }
  if (is_definition(target)) return admit_definition(context, admission);
  if (target.is("certificates.k8s.io", "certificatesigningrequests")) {
    return admit_certificate_request(context, admission);
  }
  return {};
}

}  // namespace muster::server
