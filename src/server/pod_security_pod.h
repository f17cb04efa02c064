// The parts of the Pod Security checks: what they look at, and the words they share. Only for
// pod_security_*.cc.
//
//   Names names; pod.each_container([&](View container, View context) { … });
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "objects/value.h"
#include "server/pod_security_checks.h"

namespace muster::server::pod_security {

using Names = std::vector<std::string>;
using NameSet = std::set<std::string>;
using Finding = std::optional<Violation>;

// What a check looks at.
struct Pod {
  objects::View metadata;
  objects::View spec;
  int minor;

  objects::View context() const { return spec["securityContext"]; }
  bool is_windows() const { return spec["os"]["name"].string_or("") == "windows"; }
  // Root inside is nobody outside.
  bool has_own_users() const {
    return spec["hostUsers"].is_boolean() && !spec["hostUsers"].boolean_or(true);
  }

  template <class Visit>
  void each_container(Visit visit) const {
    for (const std::string_view field : {"initContainers", "containers", "ephemeralContainers"}) {
      for (objects::View container : spec[field].elements()) {
        visit(container, container["securityContext"]);
      }
    }
  }
};

inline std::string_view plural(std::string_view one, std::string_view many, std::size_t count) {
  return count == 1 ? one : many;
}

template <class List>
std::string quoted(const List& names) {
  return fmt::format("\"{}\"", fmt::join(names, "\", \""));
}

inline std::string containers_text(const Names& names) {
  return fmt::format("{} {}", plural("container", "containers", names.size()), quoted(names));
}

inline std::string spec_name(objects::View container) {
  return std::string(container["name"].string_or(""));
}

// Who set something: the pod, some containers, or both.
struct Setters {
  bool pod = false;
  Names containers = {};

  bool any() const { return pod || !containers.empty(); }
  std::string to_string() const {
    if (containers.empty()) return "pod";
    return (pod ? "pod and " : "") + containers_text(containers);
  }
};

struct Seccomp {
  Setters setters = {};
  NameSet values = {};
  Names unset = {};  // neither they nor the pod say anything

  Finding forbidden() const {
    if (!setters.any()) return std::nullopt;
    return Violation{"seccompProfile",
                     fmt::format("{} must not set securityContext.seccompProfile.type to {}",
                                 setters.to_string(), quoted(values))};
  }
};

Seccomp seccomp_of(const Pod& pod);

Finding app_armor(const Pod& pod);
Finding baseline_capabilities(const Pod& pod);
Finding host_namespaces(const Pod& pod);
Finding host_paths(const Pod& pod);
Finding host_ports(const Pod& pod);
Finding host_probes(const Pod& pod);
Finding privileged(const Pod& pod);
Finding proc_mount(const Pod& pod);
Finding baseline_proc_mount(const Pod& pod);
Finding selinux(const Pod& pod);
Finding baseline_seccomp(const Pod& pod);
Finding sysctls(const Pod& pod);
Finding windows_host_process(const Pod& pod);
Finding privilege_escalation(const Pod& pod);
Finding restricted_capabilities(const Pod& pod);
Finding restricted_volumes(const Pod& pod);
Finding run_as_non_root(const Pod& pod);
Finding run_as_user(const Pod& pod);
Finding restricted_seccomp(const Pod& pod);

}  // namespace muster::server::pod_security
