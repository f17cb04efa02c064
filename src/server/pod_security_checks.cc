// SPDX-License-Identifier: Apache-2.0
#include "server/pod_security_checks.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "server/pod_security_pod.h"

namespace muster::server {

using objects::View;

namespace {

// In the order in which violations are told. A baseline check may give way to a restricted one.
struct Check {
  pod_security::Finding (*find)(const pod_security::Pod& pod);
  SecurityLevel level;
  int since = 0;
  int replaced_since = latest_security_version + 1;  // when the level is restricted
};

constexpr std::array<Check, 19> checks = {{
    {pod_security::app_armor, SecurityLevel::baseline},
    {pod_security::baseline_capabilities, SecurityLevel::baseline, 0, 22},
    {pod_security::host_namespaces, SecurityLevel::baseline},
    {pod_security::host_paths, SecurityLevel::baseline, 0, 0},
    {pod_security::host_ports, SecurityLevel::baseline},
    {pod_security::host_probes, SecurityLevel::baseline, 34},
    {pod_security::privileged, SecurityLevel::baseline},
    {pod_security::baseline_proc_mount, SecurityLevel::baseline, 0, 35},
    {pod_security::selinux, SecurityLevel::baseline},
    {pod_security::baseline_seccomp, SecurityLevel::baseline, 0, 19},
    {pod_security::sysctls, SecurityLevel::baseline},
    {pod_security::windows_host_process, SecurityLevel::baseline},
    {pod_security::privilege_escalation, SecurityLevel::restricted, 8},
    {pod_security::restricted_capabilities, SecurityLevel::restricted, 22},
    {pod_security::proc_mount, SecurityLevel::restricted, 35},
    {pod_security::restricted_volumes, SecurityLevel::restricted},
    {pod_security::run_as_non_root, SecurityLevel::restricted},
    {pod_security::run_as_user, SecurityLevel::restricted, 23},
    {pod_security::restricted_seccomp, SecurityLevel::restricted, 19},
}};

}  // namespace

std::string SecurityPolicy::to_string() const {
  const std::string_view name = level == SecurityLevel::privileged ? "privileged"
                                : level == SecurityLevel::baseline ? "baseline"
                                                                   : "restricted";
  if (minor == latest_security_version) return fmt::format("{}:latest", name);
  return fmt::format("{}:v1.{}", name, minor);
}

std::vector<Violation> violations_of(const SecurityPolicy& policy, View metadata, View spec) {
  std::vector<Violation> violations;
  if (policy.level == SecurityLevel::privileged) return violations;
  const bool restricted = policy.level == SecurityLevel::restricted;
  const pod_security::Pod pod{metadata, spec, policy.minor};
  for (const Check& check : checks) {
    if (check.level > policy.level || policy.minor < check.since) continue;
    if (restricted && policy.minor >= check.replaced_since) continue;
    if (auto found = check.find(pod)) violations.push_back(std::move(*found));
  }
  return violations;
}

std::string details_of(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& each : violations) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} ({})", each.reason, each.detail);
  }
  return text;
}

std::string reasons_of(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& each : violations) {
    if (!text.empty()) text += ", ";
    text += each.reason;
  }
  return text;
}

}  // namespace muster::server
