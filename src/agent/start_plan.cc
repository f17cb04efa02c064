// SPDX-License-Identifier: Apache-2.0
#include "agent/start_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "agent/container_turn.h"
#include "agent/downward.h"
#include "agent/environment.h"
#include "agent/gang.h"
#include "agent/oci/image_plan.h"
#include "base/checked.h"
#include "base/quantity.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::Value;
using objects::View;

StartRefusal not_supported(std::string message) {
  return {.reason = "NotSupported", .message = std::move(message), .event_reason = "Failed"};
}

// What a container asks of its own security; absent: what its pod does.
View security_of(View pod, View container, std::string_view field) {
  const View own = container["securityContext"][field];
  return own ? own : pod["spec"]["securityContext"][field];
}

// Fields without which the pod would be another pod.
std::optional<StartRefusal> refused_field(View pod) {
  const View spec = pod["spec"];
  if (!spec["ephemeralContainers"].empty()) {
    return not_supported("spec.ephemeralContainers: this node does not run them yet");
  }
  if (!spec["resourceClaims"].empty()) {
    return not_supported("spec.resourceClaims: this node has no devices of that kind");
  }
  if (spec["os"]["name"].string_or("linux") != "linux") {
    return not_supported(fmt::format("spec.os.name: this node runs linux, the pod wants {}",
                                     spec["os"]["name"].string_or("")));
  }
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (View container : spec[list].elements()) {
      if (security_of(pod, container, "appArmorProfile")["type"].string_or("") == "Localhost") {
        return not_supported(
            fmt::format("container \"{}\": this node has no AppArmor profiles of its own",
                        container["name"].string_or("")));
      }
      if (container["volumeDevices"].empty()) continue;
      return not_supported(
          fmt::format("container \"{}\": volumeDevices are not served by this node",
                      container["name"].string_or("")));
    }
  }
  return std::nullopt;
}

// Programs on the machine's own files run with the platform's user, whom its processes obey. And
// who may look into processes from an image would find those with more rights there.
std::optional<StartRefusal> refused_sharing(View pod, const Surroundings& surroundings) {
  bool has_image = false;
  bool has_machine_files = false;
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (View container : pod["spec"][list].elements()) {
      const bool is_image =
          surroundings.images.contains(std::string(container["name"].string_or("")));
      (is_image ? has_image : has_machine_files) = true;
    }
  }
  if (pod["spec"]["hostPID"].boolean_or(false) && has_machine_files) {
    return not_supported(
        "spec.hostPID: a container on this machine's own files has no rights over its processes; "
        "those from images may have");
  }
  const bool shares = pod["spec"]["shareProcessNamespace"].boolean_or(false);
  if (!shares || !has_image || !has_machine_files) return std::nullopt;
  return not_supported(
      "spec.shareProcessNamespace: containers on this machine's own files do not share processes "
      "with those from images");
}

std::optional<StartRefusal> refused_right(View pod, View container) {
  const std::string_view name = container["name"].string_or("");
  if (container["securityContext"]["privileged"].boolean_or(false)) {
    return not_supported(fmt::format(
        "container \"{}\": securityContext.privileged: no container of this node has rights over "
        "the machine",
        name));
  }
  const View profile = security_of(pod, container, "seccompProfile");
  if (profile["type"].string_or("") == "Localhost") {
    return not_supported(
        fmt::format("container \"{}\": this node has no seccomp profiles of its own", name));
  }
  if (!security_of(pod, container, "runAsNonRoot").boolean_or(false)) return std::nullopt;
  const auto user = security_of(pod, container, "runAsUser").integer();
  if (user && *user != 0) return std::nullopt;
  const std::string_view why = user ? "container's runAsUser breaks non-root policy"
                                    : "container has runAsNonRoot and image will run as root";
  return StartRefusal{
      .reason = "CreateContainerConfigError",
      .message = fmt::format("{} (pod: \"{}_{}({})\", container: {})", why, objects::name_of(pod),
                             objects::namespace_of(pod), objects::uid_of(pod), name),
      .event_reason = "Failed"};
}

std::optional<std::uint32_t> id_of(View number) {
  const auto id = number.integer();
  if (!id || *id < 0 || *id > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*id);
}

void set_user(View pod, View container, ContainerSpec& made) {
  made.user = id_of(security_of(pod, container, "runAsUser"));
  made.group = id_of(security_of(pod, container, "runAsGroup"));
  for (View group : pod["spec"]["securityContext"]["supplementalGroups"].elements()) {
    if (const auto id = id_of(group)) made.groups.push_back(*id);
  }
  const auto folder_group = id_of(pod["spec"]["securityContext"]["fsGroup"]);
  if (folder_group) made.groups.push_back(*folder_group);
  made.has_read_only_root =
      container["securityContext"]["readOnlyRootFilesystem"].boolean_or(false);
}

StartRefusal config_error(const Error& error) {
  if (error.code == ErrorCode::invalid) return not_supported(error.message);
  return {
      .reason = "CreateContainerConfigError", .message = error.message, .event_reason = "Failed"};
}

// kubelet leaves such a pod in creation and tells of it in an event.
StartRefusal volume_error(const Error& error) {
  if (error.code != ErrorCode::not_found) return not_supported(error.message);
  return {.reason = "ContainerCreating", .message = error.message, .event_reason = "FailedMount"};
}

// A pod on the machine's network asks whom the machine asks, unless it says otherwise.
std::string_view dns_policy_of(View pod) {
  const std::string_view policy = pod["spec"]["dnsPolicy"].string_or("ClusterFirst");
  const bool is_machines = pod["spec"]["hostNetwork"].boolean_or(false);
  return policy == "ClusterFirst" && is_machines ? "Default" : policy;
}

std::vector<std::string> search_domains(View pod, const PodDefaults& defaults) {
  const std::string& domain = defaults.cluster_domain;
  const std::string_view policy = dns_policy_of(pod);
  std::vector<std::string> domains;
  if (policy == "ClusterFirst" || policy == "ClusterFirstWithHostNet") {
    domains = {fmt::format("{}.svc.{}", objects::namespace_of(pod), domain), "svc." + domain,
               domain};
  }
  for (View each : pod["spec"]["dnsConfig"]["searches"].elements()) {
    domains.emplace_back(each.string_or(""));
  }
  return domains;
}

// In bytes; 0 where there is none, or none that can be counted.
std::int64_t memory_limit(View container) {
  const View limit = container["resources"]["limits"]["memory"];
  if (!limit.is_string()) return 0;
  const auto quantity = Quantity::parse(limit.string_or(""));
  return quantity ? quantity->value().value_or(0) : 0;
}

// In microseconds of every tenth of a second; 0 where there is none.
std::int64_t cpu_quota(View container) {
  constexpr std::int64_t period_microseconds_per_thousandth = 100;
  const View limit = container["resources"]["limits"]["cpu"];
  const auto quantity = Quantity::parse(limit.string_or(""));
  if (!limit.is_string() || !quantity) return 0;
  const std::int64_t thousandths = quantity->milli_value().value_or(0);
  return saturating_multiply(std::max<std::int64_t>(thousandths, 0),
                             period_microseconds_per_thousandth);
}

// Extended resources: those with a domain that is not Kubernetes' own.
std::vector<std::pair<std::string, std::int64_t>> devices_wanted(View container) {
  std::vector<std::pair<std::string, std::int64_t>> wanted;
  for (const auto& [name, amount] : container["resources"]["limits"].members()) {
    const std::string_view domain = name.substr(0, name.find('/'));
    const bool is_own = domain == "kubernetes.io" || domain.ends_with(".kubernetes.io");
    if (domain.size() == name.size() || is_own) continue;
    const auto quantity =
        Quantity::parse(amount.is_string() ? std::string(amount.string_or(""))
                                           : fmt::to_string(amount.integer_or(0)));
    const std::int64_t count = quantity ? quantity->value().value_or(0) : 0;
    if (count > 0) wanted.emplace_back(name, count);
  }
  return wanted;
}

// "SIGUSR1" by its number on Linux; what nobody named, or knows, is SIGTERM.
int stop_signal_of(View container) {
  constexpr std::array<std::string_view, 32> names = {
      "",     "HUP",  "INT",  "QUIT", "ILL",    "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1",
      "SEGV", "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN",
      "TTOU", "URG",  "XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "IO",   "PWR",  "SYS"};
  constexpr int signal_terminate = 15;
  constexpr int signal_real_time_min = 34;
  constexpr int signal_real_time_max = 64;
  std::string_view name = container["lifecycle"]["stopSignal"].string_or("");
  if (!name.starts_with("SIG")) return signal_terminate;
  name.remove_prefix(3);
  const auto* found = std::find(names.begin() + 1, names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  for (int number = signal_real_time_min; number <= signal_real_time_max; ++number) {
    const int up = number - signal_real_time_min;
    const int down = signal_real_time_max - number;
    const bool is_it = (up == 0 && name == "RTMIN") || (down == 0 && name == "RTMAX") ||
                       name == fmt::format("RTMIN+{}", up) || name == fmt::format("RTMAX-{}", down);
    if (is_it) return number;
  }
  return signal_terminate;
}

Result<ContainerSpec> container_of(View pod, View container, const PodVolumes& volumes,
                                   const Surroundings& surroundings, const PodDefaults& defaults) {
  ContainerSpec made;
  made.name = container["name"].string_or("");
  made.image = container["image"].string_or("");
  Environment environment = TRY(environment_of(pod, container, surroundings));
  const Environment own = environment;
  made.arguments = TRY(arguments_of(container, environment));
  made.mounts = TRY(mounts_of(container, volumes, environment));
  made.memory_bytes_max = memory_limit(container);
  made.image_run.cpu_quota_microseconds = cpu_quota(container);
  made.wanted_devices = devices_wanted(container);
  set_user(pod, container, made);
  made.has_input = container["stdin"].boolean_or(false);
  made.ends_input_once = container["stdinOnce"].boolean_or(false);
  made.has_terminal = container["tty"].boolean_or(false);
  made.stop_signal = stop_signal_of(container);
  made.last_words_path =
      container["terminationMessagePath"].string_or(std::string(last_words_path_default));
  made.last_words_from_log =
      container["terminationMessagePolicy"].string_or("") == "FallbackToLogsOnError";
  if (made.has_terminal) environment.try_emplace("TERM", "xterm");
  const std::string_view folder = container["workingDir"].string_or("");
  if (!folder.empty()) made.working_folder = folder;
  // Container runtimes set it where the pod does not; MPI and friends read it.
  environment.try_emplace("HOSTNAME", hostname_of(pod));
  if (!defaults.search_path.empty()) environment.try_emplace("PATH", defaults.search_path);
  made.environment.assign(environment.begin(), environment.end());
  const auto image = surroundings.images.find(made.name);
  if (image != surroundings.images.end()) {
    TRY(run_from_image(pod, container, image->second, own, made));
  }
  return made;
}

}  // namespace

std::variant<StartPlan, StartRefusal> plan_start(const Value& pod, const Surroundings& surroundings,
                                                 std::span<const Value> members,
                                                 const PodDefaults& defaults) {
  if (auto refusal = refused_field(pod)) return std::move(*refusal);
  if (auto refusal = refused_sharing(pod, surroundings)) return std::move(*refusal);
  if (surroundings.address.empty() && !surroundings.node.pod_cidr.empty()) {
    return not_supported(
        "the pod has no address of its own (annotation muster.dev/pod-ip), and this node "
        "gives addresses");
  }
  StartPlan plan;
  PodSpec& spec = plan.spec;
  spec.uid = objects::uid_of(pod);
  spec.name_space = objects::namespace_of(pod);
  spec.name = objects::name_of(pod);
  spec.node = surroundings.node.name;
  spec.hostname = hostname_of(pod);
  spec.address = surroundings.address;
  spec.name_server = dns_policy_of(pod) == "Default" ? std::string() : defaults.name_server;
  spec.search_domains = search_domains(pod, defaults);
  spec.hosts = hosts_of(pod, members);
  spec.folder = fmt::format("{}/{}", defaults.pods_folder, spec.uid);
  spec.pod = pod;
  auto volumes = volumes_of(pod, surroundings, spec.folder);
  if (!volumes) return volume_error(volumes.error());
  // In the order in which they may start: all but the first wait for their turn.
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (View container : pod["spec"][list].elements()) {
      const auto image = surroundings.images.find(container["name"].string_or(""));
      auto refusal = image == surroundings.images.end()
                         ? refused_right(pod, container)
                         : refused_by_image(pod, container, image->second);
      if (refusal) return std::move(*refusal);
      auto made = container_of(pod, container, *volumes, surroundings, defaults);
      if (!made) return config_error(made.error());
      if (list == "initContainers") made->role = role_of_init(container);
      made->is_held = !pod["spec"]["initContainers"].empty() && !spec.containers.empty();
      spec.containers.push_back(std::move(*made));
    }
  }
  plan.volumes = std::move(volumes->contents);
  return plan;
}

}  // namespace muster::agent
