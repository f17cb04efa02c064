// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "objects/field_error.h"
#include "objects/metadata.h"
#include "server/admission.h"
#include "server/node_access.h"

// What a node may not say about the objects it may write: the second half of node_access.cc, once
// the objects are known. The rules and the sentences are those of NodeRestriction.

namespace muster::server {

using objects::MemberView;
using objects::View;

namespace {

using objects::go_quoted;

constexpr std::string_view mirror_annotation = "kubernetes.io/config.mirror";

// Labels of Kubernetes' own domains that a kubelet tells about itself.
constexpr std::string_view kubelet_labels[] = {
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "kubernetes.io/arch",
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
};

std::string_view domain_of(std::string_view label) {
  const std::size_t slash = label.find('/');
  return slash == std::string_view::npos ? std::string_view() : label.substr(0, slash);
}

bool is_in_domain(std::string_view domain, std::string_view of) {
  return domain == of || (domain.ends_with(of) && domain.size() > of.size() &&
                          domain[domain.size() - of.size() - 1] == '.');
}

bool is_forbidden_label(std::string_view label) {
  const std::string_view domain = domain_of(label);
  if (is_in_domain(domain, "node-restriction.kubernetes.io")) return true;
  if (!is_in_domain(domain, "kubernetes.io") && !is_in_domain(domain, "k8s.io")) return false;
  if (is_in_domain(domain, "kubelet.kubernetes.io") || is_in_domain(domain, "node.kubernetes.io")) {
    return false;
  }
  return std::ranges::find(kubelet_labels, label) == std::end(kubelet_labels);
}

// Those that one has and the other has not, or has otherwise.
std::set<std::string> forbidden_changes(View now, View before) {
  std::set<std::string> changed;
  const auto compare = [&](View a, View b) {
    for (const MemberView member : a.members()) {
      if (!(member.value == b[member.key]) && is_forbidden_label(member.key)) {
        changed.emplace(member.key);
      }
    }
  };
  compare(now, before);
  compare(before, now);
  return changed;
}

Outcome<> restrict_own_node(const Admission& admission, std::string_view node) {
  const Target& target = admission.target;
  const auto refuse = [&](std::string_view why) { return forbidden(target, why); };
  if (target.name != node) {
    return refuse(fmt::format("node {} is not allowed to modify node {}", go_quoted(node),
                              go_quoted(target.name)));
  }
  const View now = admission.object;
  const View before = admission.old_object;
  const auto labels = forbidden_changes(objects::labels_of(now), objects::labels_of(before));
  if (admission.is_create()) {
    if (labels.empty()) return {};
    return refuse(fmt::format("node {} is not allowed to set the following labels: {}",
                              go_quoted(node), fmt::join(labels, ", ")));
  }
  if (!(now["spec"]["taints"] == before["spec"]["taints"])) {
    return refuse(fmt::format("node {} is not allowed to modify taints", go_quoted(node)));
  }
  if (!(now["metadata"]["ownerReferences"] == before["metadata"]["ownerReferences"])) {
    return refuse(fmt::format("node {} is not allowed to modify ownerReferences", go_quoted(node)));
  }
  if (labels.empty()) return {};
  return refuse(fmt::format("is not allowed to modify labels: {}", fmt::join(labels, ", ")));
}

// A mirror pod stands for one that the node runs by itself: it is the node's, and nobody's business
// otherwise.
Outcome<> restrict_new_pod(const Context& context, const Admission& admission,
                           std::string_view node) {
  const Target& target = admission.target;
  const std::string quoted = go_quoted(node);
  const auto refuse = [&](std::string_view why) { return forbidden(target, why); };
  const View pod = admission.object;
  if (!objects::annotations_of(pod)[mirror_annotation]) {
    return refuse(
        fmt::format("pod does not have {} annotation, node {} can only create mirror pods",
                    go_quoted(mirror_annotation), quoted));
  }
  if (pod["spec"]["nodeName"].string_or("") != node) {
    return refuse(
        fmt::format("node {} can only create pods with spec.nodeName set to itself", quoted));
  }
  const View owners = pod["metadata"]["ownerReferences"];
  if (owners.size() > 1) {
    return refuse(fmt::format(
        "node {} can only create pods with a single owner reference set to itself", quoted));
  }
  const View owner = owners[std::size_t{0}];
  if (owner["apiVersion"].string_or("") != "v1" || owner["kind"].string_or("") != "Node" ||
      owner["name"].string_or("") != node) {
    return refuse(
        fmt::format("node {} can only create pods with an owner reference set to itself", quoted));
  }
  if (!owner["controller"].boolean_or(false)) {
    return refuse(fmt::format(
        "node {} can only create pods with a controller owner reference set to itself", quoted));
  }
  if (owner["blockOwnerDeletion"].boolean_or(false)) {
    return refuse(
        fmt::format("node {} must not set blockOwnerDeletion on an owner reference", quoted));
  }
  const auto nodes = context.registry.find_resource("", "nodes");
  const CachedObject* own = context.cache.find(*nodes, "", node);
  if (own == nullptr) return failures::not_found({.resource = "nodes"}, node);
  if (own->uid != owner["uid"].string_or("")) {
    return refuse(fmt::format("node {} UID mismatch: expected {} got {}", node,
                              owner["uid"].string_or(""), own->uid));
  }
  if (!pod["spec"]["serviceAccountName"].string_or("").empty()) {
    return refuse(
        fmt::format("node {} can not create pods that reference serviceaccounts", quoted));
  }
  return {};
}

Outcome<> restrict_pod(const Context& context, const Admission& admission, std::string_view node) {
  if (admission.is_create()) return restrict_new_pod(context, admission, node);
  const Target& target = admission.target;
  const std::string quoted = go_quoted(node);
  if (!target.is_status()) {
    return forbidden(target, fmt::format("unexpected operation \"UPDATE\", node {} can only create "
                                         "and delete mirror pods",
                                         quoted));
  }
  const View now = admission.object;
  const View before = admission.old_object;
  if (before["spec"]["nodeName"].string_or("") != node) {
    return forbidden(target, fmt::format("node {} can only update pod status for pods with "
                                         "spec.nodeName set to itself",
                                         quoted));
  }
  if (!(objects::labels_of(now) == objects::labels_of(before))) {
    return forbidden(target,
                     fmt::format("node {} cannot update labels through pod status", quoted));
  }
  if (!(now["status"]["resourceClaimStatuses"] == before["status"]["resourceClaimStatuses"])) {
    return forbidden(target, fmt::format("node {} cannot update resource claim statues", quoted));
  }
  return {};
}

}  // namespace

Outcome<> restrict_node(const Context& context, const Admission& admission) {
  const std::string_view node = node_of(admission.identity);
  if (node.empty()) return {};
  const Target& target = admission.target;
  if (target.is("", "nodes")) return restrict_own_node(admission, node);
  if (target.is("", "pods")) return restrict_pod(context, admission, node);
  const bool is_lease = target.is("coordination.k8s.io", "leases");
  const bool is_csi_node = target.is("storage.k8s.io", "csinodes");
  if ((is_lease || is_csi_node) && target.name != node) {
    return forbidden(target, fmt::format("can only access {} with the same name as the "
                                         "requesting node",
                                         is_lease ? "node lease" : "CSINode"));
  }
  return {};
}

Outcome<> restrict_node_removal(const Target& target, const Identity& identity, View stored) {
  const std::string_view node = node_of(identity);
  if (node.empty() || !target.is("", "pods")) return {};
  if (stored["spec"]["nodeName"].string_or("") == node) return {};
  return forbidden(target, fmt::format("node {} can only delete pods with spec.nodeName set to "
                                       "itself",
                                       go_quoted(node)));
}

}  // namespace muster::server
