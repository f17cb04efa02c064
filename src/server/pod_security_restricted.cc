// SPDX-License-Identifier: Apache-2.0
#include "server/pod_security_pod.h"

namespace muster::server::pod_security {

using objects::View;

namespace {

bool is_allowed_seccomp(std::string_view type) {
  return type == "Localhost" || type == "RuntimeDefault";
}

std::string_view type_of_volume(View volume) {
  for (const std::string_view type : {"hostPath",
                                      "gcePersistentDisk",
                                      "awsElasticBlockStore",
                                      "gitRepo",
                                      "nfs",
                                      "iscsi",
                                      "glusterfs",
                                      "rbd",
                                      "flexVolume",
                                      "cinder",
                                      "cephfs",
                                      "flocker",
                                      "fc",
                                      "azureFile",
                                      "vsphereVolume",
                                      "quobyte",
                                      "azureDisk",
                                      "photonPersistentDisk",
                                      "portworxVolume",
                                      "scaleIO",
                                      "storageos"}) {
    if (volume[type].is_object()) return type;
  }
  return "unknown";
}

bool is_unrestricted_volume(View volume) {
  for (const std::string_view type : {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral",
                                      "image", "persistentVolumeClaim", "projected", "secret"}) {
    if (volume[type].is_object()) return true;
  }
  return false;
}

}  // namespace

Seccomp seccomp_of(const Pod& pod) {
  Seccomp found;
  const auto is_bad = [&](View profile) {
    const std::string_view type = profile["type"].string_or("");
    if (!profile.is_object() || is_allowed_seccomp(type)) return false;
    found.values.emplace(type);
    return true;
  };
  const View of_pod = pod.context()["seccompProfile"];
  found.setters.pod = is_bad(of_pod);
  const bool pod_set = of_pod.is_object() && !found.setters.pod;
  pod.each_container([&](View container, View context) {
    const View profile = context["seccompProfile"];
    if (is_bad(profile)) found.setters.containers.push_back(spec_name(container));
    if (!profile.is_object() && !pod_set) found.unset.push_back(spec_name(container));
  });
  return found;
}

Finding privilege_escalation(const Pod& pod) {
  if (pod.minor >= 25 && pod.is_windows()) return std::nullopt;
  Names containers;
  pod.each_container([&](View container, View context) {
    if (context["allowPrivilegeEscalation"].boolean_or(true)) {
      containers.push_back(spec_name(container));
    }
  });
  if (containers.empty()) return std::nullopt;
  return Violation{
      "allowPrivilegeEscalation != false",
      containers_text(containers) + " must set securityContext.allowPrivilegeEscalation=false"};
}

Finding restricted_capabilities(const Pod& pod) {
  if (pod.minor >= 25 && pod.is_windows()) return std::nullopt;
  Names keeping;
  Names adding;
  NameSet added;
  pod.each_container([&](View container, View context) {
    bool drops_all = false;
    for (View each : context["capabilities"]["drop"].elements()) {
      drops_all = drops_all || each.string_or("") == "ALL";
    }
    if (!drops_all) keeping.push_back(spec_name(container));
    bool adds = false;
    for (View each : context["capabilities"]["add"].elements()) {
      if (each.string_or("") == "NET_BIND_SERVICE") continue;
      added.emplace(each.string_or(""));
      adds = true;
    }
    if (adds) adding.push_back(spec_name(container));
  });
  Names details;
  if (!keeping.empty()) {
    details.push_back(containers_text(keeping) +
                      R"( must set securityContext.capabilities.drop=["ALL"])");
  }
  if (!adding.empty()) {
    details.push_back(fmt::format("{} must not include {} in securityContext.capabilities.add",
                                  containers_text(adding), quoted(added)));
  }
  if (details.empty()) return std::nullopt;
  return Violation{"unrestricted capabilities", fmt::format("{}", fmt::join(details, "; "))};
}

Finding restricted_volumes(const Pod& pod) {
  Names volumes;
  NameSet types;
  for (View volume : pod.spec["volumes"].elements()) {
    if (is_unrestricted_volume(volume)) continue;
    volumes.push_back(spec_name(volume));
    types.emplace(type_of_volume(volume));
  }
  if (volumes.empty()) return std::nullopt;
  return Violation{
      "restricted volume types",
      fmt::format("{} {} {} {} {}", plural("volume", "volumes", volumes.size()), quoted(volumes),
                  plural("uses", "use", volumes.size()),
                  plural("restricted volume type", "restricted volume types", types.size()),
                  quoted(types))};
}

Finding run_as_non_root(const Pod& pod) {
  if (pod.minor >= 35 && pod.has_own_users()) return std::nullopt;
  Setters setters;
  Names unset;
  const View of_pod = pod.context()["runAsNonRoot"];
  setters.pod = of_pod.is_boolean() && !of_pod.boolean_or(true);
  pod.each_container([&](View container, View context) {
    const View own = context["runAsNonRoot"];
    if (own.is_boolean()) {
      if (!own.boolean_or(true)) setters.containers.push_back(spec_name(container));
    } else if (!of_pod.boolean_or(false)) {
      unset.push_back(spec_name(container));
    }
  });
  const std::string reason = "runAsNonRoot != true";
  if (setters.any()) {
    return Violation{reason,
                     setters.to_string() + " must not set securityContext.runAsNonRoot=false"};
  }
  if (unset.empty()) return std::nullopt;
  return Violation{reason, fmt::format("pod or {} must set securityContext.runAsNonRoot=true",
                                       containers_text(unset))};
}

Finding run_as_user(const Pod& pod) {
  if (pod.minor >= 35 && pod.has_own_users()) return std::nullopt;
  Setters setters;
  const auto is_root = [](View context) { return context["runAsUser"].integer_or(-1) == 0; };
  setters.pod = is_root(pod.context());
  pod.each_container([&](View container, View context) {
    if (is_root(context)) setters.containers.push_back(spec_name(container));
  });
  if (!setters.any()) return std::nullopt;
  return Violation{"runAsUser=0", setters.to_string() + " must not set runAsUser=0"};
}

Finding restricted_seccomp(const Pod& pod) {
  if (pod.minor >= 25 && pod.is_windows()) return std::nullopt;
  const Seccomp found = seccomp_of(pod);
  if (auto forbidden = found.forbidden()) return forbidden;
  if (found.unset.empty()) return std::nullopt;
  return Violation{"seccompProfile",
                   fmt::format("pod or {} must set securityContext.seccompProfile.type to "
                               "\"RuntimeDefault\" or \"Localhost\"",
                               containers_text(found.unset))};
}

}  // namespace muster::server::pod_security
