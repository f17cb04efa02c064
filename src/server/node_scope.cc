// SPDX-License-Identifier: Apache-2.0
#include "server/node_scope.h"

#include "objects/metadata.h"

namespace muster::server {

using objects::Value;
using objects::View;

namespace {

bool volume_refers_to(View volume, std::string_view resource, std::string_view name) {
  const auto is = [&](View reference) { return reference.string_or("") == name; };
  if (resource == "persistentvolumeclaims") {
    return is(volume["persistentVolumeClaim"]["claimName"]);
  }
  const bool secret = resource == "secrets";
  if (secret && is(volume["secret"]["secretName"])) return true;
  if (!secret && is(volume["configMap"]["name"])) return true;
  for (const View source : volume["projected"]["sources"].elements()) {
    if (is(source[secret ? "secret" : "configMap"]["name"])) return true;
  }
  return false;
}

bool container_refers_to(View container, std::string_view resource, std::string_view name) {
  const bool secret = resource == "secrets";
  for (const View variable : container["env"].elements()) {
    const View reference = variable["valueFrom"][secret ? "secretKeyRef" : "configMapKeyRef"];
    if (reference["name"].string_or("") == name) return true;
  }
  for (const View source : container["envFrom"].elements()) {
    const View reference = source[secret ? "secretRef" : "configMapRef"];
    if (reference["name"].string_or("") == name) return true;
  }
  return false;
}

}  // namespace

bool pod_refers_to(View pod, std::string_view resource, std::string_view name) {
  const View spec = pod["spec"];
  if (resource == "serviceaccounts") return spec["serviceAccountName"].string_or("") == name;
  if (resource == "resourceclaims") {
    for (const View claim : spec["resourceClaims"].elements()) {
      if (claim["resourceClaimName"].string_or("") == name) return true;
    }
    for (const View claim : pod["status"]["resourceClaimStatuses"].elements()) {
      if (claim["resourceClaimName"].string_or("") == name) return true;
    }
    return false;
  }
  for (const View volume : spec["volumes"].elements()) {
    if (volume_refers_to(volume, resource, name)) return true;
  }
  if (resource != "secrets" && resource != "configmaps") return false;
  if (resource == "secrets") {
    for (const View secret : spec["imagePullSecrets"].elements()) {
      if (secret["name"].string_or("") == name) return true;
    }
  }
  for (const std::string_view containers : {"initContainers", "containers"}) {
    for (const View container : spec[containers].elements()) {
      if (container_refers_to(container, resource, name)) return true;
    }
  }
  return false;
}

bool CachedNodeScope::has_volume(std::string_view node, std::string_view name) const {
  const auto volumes = registry_.find_resource("", "persistentvolumes");
  const CachedObject* volume = volumes == nullptr ? nullptr : cache_.find(*volumes, "", name);
  if (volume == nullptr) return false;
  const Value tree = trees_.tree_of(volume->bytes);
  const View claim = tree["spec"]["claimRef"];
  return concerns(node, "persistentvolumeclaims", claim["namespace"].string_or(""),
                  claim["name"].string_or(""));
}

bool CachedNodeScope::concerns(std::string_view node, std::string_view resource,
                               std::string_view name_space, std::string_view name) const {
  if (resource == "persistentvolumes") return has_volume(node, name);
  const auto pods = registry_.find_resource("", "pods");
  if (name_space.empty() || pods == nullptr) return false;
  if (resource == "pods") {
    const CachedObject* pod = cache_.find(*pods, name_space, name);
    return pod != nullptr && trees_.tree_of(pod->bytes)["spec"]["nodeName"].string_or("") == node;
  }
  for (const auto& [key, object] : cache_.all_in(*pods, name_space)) {
    const Value pod = trees_.tree_of(object.bytes);
    if (pod["spec"]["nodeName"].string_or("") != node) continue;
    if (pod_refers_to(pod, resource, name)) return true;
  }
  return false;
}

}  // namespace muster::server
