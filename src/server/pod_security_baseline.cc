// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "objects/field_error.h"
#include "server/pod_security_pod.h"

namespace muster::server::pod_security {

using objects::MemberView;
using objects::View;

namespace {

bool is_allowed_selinux_type(std::string_view type, int minor) {
  return type.empty() || type == "container_t" || type == "container_init_t" ||
         type == "container_kvm_t" || (minor >= 31 && type == "container_engine_t");
}

// Before there was a field for it.
Finding seccomp_annotations(const Pod& pod) {
  NameSet forbidden;
  const auto look_at = [&](const std::string& key) {
    const View value = pod.metadata["annotations"][key];
    if (!value.is_string()) return;
    const std::string_view text = value.string_or("");
    if (text == "runtime/default" || text == "docker/default" || text.starts_with("localhost/")) {
      return;
    }
    forbidden.insert(fmt::format("{}={}", key, objects::go_quoted(text)));
  };
  look_at("seccomp.security.alpha.kubernetes.io/pod");
  pod.each_container([&](View container, View) {
    look_at("container.seccomp.security.alpha.kubernetes.io/" + spec_name(container));
  });
  if (forbidden.empty()) return std::nullopt;
  return Violation{
      "seccompProfile",
      fmt::format("forbidden {} {}", plural("annotation", "annotations", forbidden.size()),
                  fmt::join(forbidden, ", "))};
}

struct SafeSysctl {
  std::string_view name;
  int minor;  // since when it is thought safe
};

}  // namespace

Finding app_armor(const Pod& pod) {
  Setters setters;
  NameSet bad;
  const auto is_bad = [&](View context) {
    const View profile = context["appArmorProfile"];
    if (!profile.is_object()) return false;
    const std::string_view type = profile["type"].string_or("");
    if (type == "RuntimeDefault" || type == "Localhost") return false;
    bad.emplace(type);
    return true;
  };
  setters.pod = is_bad(pod.context());
  pod.each_container([&](View container, View context) {
    if (is_bad(context)) setters.containers.push_back(spec_name(container));
  });
  Names values(bad.begin(), bad.end());
  NameSet annotations;
  for (const MemberView member : pod.metadata["annotations"].members()) {
    if (!member.key.starts_with("container.apparmor.security.beta.kubernetes.io/")) continue;
    const std::string_view value = member.value.string_or("");
    if (value.empty() || value == "runtime/default" || value.starts_with("localhost/")) continue;
    annotations.insert(fmt::format("{}={}", member.key, objects::go_quoted(value)));
  }
  if (!setters.any() && annotations.empty()) return std::nullopt;
  Names who;
  if (setters.any()) who.push_back(setters.to_string());
  if (!annotations.empty()) {
    who.emplace_back(plural("annotation", "annotations", annotations.size()));
    values.insert(values.end(), annotations.begin(), annotations.end());
  }
  return Violation{std::string(plural("forbidden AppArmor profile", "forbidden AppArmor profiles",
                                      values.size())),
                   fmt::format("{} must not set AppArmor profile type to {}",
                               fmt::join(who, " and "), quoted(values))};
}

Finding baseline_capabilities(const Pod& pod) {
  static constexpr std::array<std::string_view, 13> allowed = {
      "AUDIT_WRITE",      "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",      "MKNOD",
      "NET_BIND_SERVICE", "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT"};
  Names containers;
  NameSet added;
  pod.each_container([&](View container, View context) {
    bool bad = false;
    for (View each : context["capabilities"]["add"].elements()) {
      const std::string_view name = each.string_or("");
      if (std::ranges::find(allowed, name) != allowed.end()) continue;
      added.emplace(name);
      bad = true;
    }
    if (bad) containers.push_back(spec_name(container));
  });
  if (containers.empty()) return std::nullopt;
  return Violation{"non-default capabilities",
                   fmt::format("{} must not include {} in securityContext.capabilities.add",
                               containers_text(containers), quoted(added))};
}

Finding host_namespaces(const Pod& pod) {
  Names set;
  for (const std::string_view field : {"hostNetwork", "hostPID", "hostIPC"}) {
    if (pod.spec[field].boolean_or(false)) set.push_back(fmt::format("{}=true", field));
  }
  if (set.empty()) return std::nullopt;
  return Violation{"host namespaces", fmt::format("{}", fmt::join(set, ", "))};
}

Finding host_paths(const Pod& pod) {
  Names volumes;
  for (View volume : pod.spec["volumes"].elements()) {
    if (volume["hostPath"].is_object()) volumes.push_back(spec_name(volume));
  }
  if (volumes.empty()) return std::nullopt;
  return Violation{
      "hostPath volumes",
      fmt::format("{} {}", plural("volume", "volumes", volumes.size()), quoted(volumes))};
}

Finding host_ports(const Pod& pod) {
  Names containers;
  NameSet ports;
  pod.each_container([&](View container, View) {
    bool bad = false;
    for (View port : container["ports"].elements()) {
      const std::int64_t number = port["hostPort"].integer_or(0);
      if (number == 0) continue;
      ports.insert(fmt::to_string(number));
      bad = true;
    }
    if (bad) containers.push_back(spec_name(container));
  });
  if (containers.empty()) return std::nullopt;
  return Violation{"hostPort", fmt::format("{} {} {} {}", containers_text(containers),
                                           plural("uses", "use", containers.size()),
                                           plural("hostPort", "hostPorts", ports.size()),
                                           fmt::join(ports, ", "))};
}

Finding host_probes(const Pod& pod) {
  NameSet containers;
  NameSet hosts;
  const auto look_at = [&](View container, View action) {
    for (const std::string_view kind : {"httpGet", "tcpSocket"}) {
      const std::string_view host = action[kind]["host"].string_or("");
      if (host.empty()) continue;
      hosts.emplace(host);
      containers.insert(spec_name(container));
    }
  };
  pod.each_container([&](View container, View) {
    for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
      look_at(container, container[probe]);
    }
    look_at(container, container["lifecycle"]["postStart"]);
    look_at(container, container["lifecycle"]["preStop"]);
  });
  if (containers.empty()) return std::nullopt;
  const Names names(containers.begin(), containers.end());
  return Violation{
      "probe or lifecycle host",
      fmt::format("{} {} {} {}", containers_text(names), plural("uses", "use", names.size()),
                  plural("probe or lifecycle host", "probe or lifecycle hosts", hosts.size()),
                  quoted(hosts))};
}

Finding privileged(const Pod& pod) {
  Names containers;
  pod.each_container([&](View container, View context) {
    if (context["privileged"].boolean_or(false)) containers.push_back(spec_name(container));
  });
  if (containers.empty()) return std::nullopt;
  return Violation{"privileged",
                   containers_text(containers) + " must not set securityContext.privileged=true"};
}

Finding proc_mount(const Pod& pod) {
  Names containers;
  NameSet types;
  pod.each_container([&](View container, View context) {
    const View type = context["procMount"];
    if (!type.is_string() || type.string_or("") == "Default") return;
    containers.push_back(spec_name(container));
    types.emplace(type.string_or(""));
  });
  if (containers.empty()) return std::nullopt;
  return Violation{"procMount", fmt::format("{} must not set securityContext.procMount to {}",
                                            containers_text(containers), quoted(types))};
}

Finding baseline_proc_mount(const Pod& pod) {
  if (pod.minor >= 35 && pod.has_own_users()) return std::nullopt;
  return proc_mount(pod);
}

Finding selinux(const Pod& pod) {
  Setters setters;
  NameSet types;
  bool user = false;
  bool role = false;
  const auto is_bad = [&](View context) {
    const View options = context["seLinuxOptions"];
    const std::string_view type = options["type"].string_or("");
    const bool bad_type = !is_allowed_selinux_type(type, pod.minor);
    const bool sets_user = !options["user"].string_or("").empty();
    const bool sets_role = !options["role"].string_or("").empty();
    if (bad_type) types.emplace(type);
    user = user || sets_user;
    role = role || sets_role;
    return bad_type || sets_user || sets_role;
  };
  setters.pod = is_bad(pod.context());
  pod.each_container([&](View container, View context) {
    if (is_bad(context)) setters.containers.push_back(spec_name(container));
  });
  if (!setters.any()) return std::nullopt;
  Names bad;
  if (!types.empty()) {
    bad.push_back(fmt::format("{} {}", plural("type", "types", types.size()), quoted(types)));
  }
  if (user) bad.emplace_back("user may not be set");
  if (role) bad.emplace_back("role may not be set");
  return Violation{"seLinuxOptions", fmt::format("{} set forbidden securityContext.seLinuxOptions: "
                                                 "{}",
                                                 setters.to_string(), fmt::join(bad, "; "))};
}

Finding baseline_seccomp(const Pod& pod) {
  if (pod.minor < 19) return seccomp_annotations(pod);
  return seccomp_of(pod).forbidden();
}

Finding sysctls(const Pod& pod) {
  static constexpr std::array<SafeSysctl, 12> safe = {{{"kernel.shm_rmid_forced", 0},
                                                       {"net.ipv4.ip_local_port_range", 0},
                                                       {"net.ipv4.tcp_syncookies", 0},
                                                       {"net.ipv4.ping_group_range", 0},
                                                       {"net.ipv4.ip_unprivileged_port_start", 0},
                                                       {"net.ipv4.ip_local_reserved_ports", 27},
                                                       {"net.ipv4.tcp_keepalive_time", 29},
                                                       {"net.ipv4.tcp_fin_timeout", 29},
                                                       {"net.ipv4.tcp_keepalive_intvl", 29},
                                                       {"net.ipv4.tcp_keepalive_probes", 29},
                                                       {"net.ipv4.tcp_rmem", 32},
                                                       {"net.ipv4.tcp_wmem", 32}}};
  Names forbidden;
  for (View sysctl : pod.context()["sysctls"].elements()) {
    const std::string_view name = sysctl["name"].string_or("");
    const bool is_safe = std::ranges::any_of(
        safe, [&](const SafeSysctl& each) { return each.name == name && pod.minor >= each.minor; });
    if (!is_safe) forbidden.emplace_back(name);
  }
  if (forbidden.empty()) return std::nullopt;
  return Violation{"forbidden sysctls", fmt::format("{}", fmt::join(forbidden, ", "))};
}

Finding windows_host_process(const Pod& pod) {
  Setters setters;
  const auto is_bad = [](View context) {
    return context["windowsOptions"]["hostProcess"].boolean_or(false);
  };
  setters.pod = is_bad(pod.context());
  pod.each_container([&](View container, View context) {
    if (is_bad(context)) setters.containers.push_back(spec_name(container));
  });
  if (!setters.any()) return std::nullopt;
  return Violation{
      "hostProcess",
      setters.to_string() + " must not set securityContext.windowsOptions.hostProcess=true"};
}

}  // namespace muster::server::pod_security
