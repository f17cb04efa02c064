// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/oci_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "agent/oci/system_call_profile.h"
#include "objects/builder.h"
#include "objects/json.h"

namespace muster::agent {

namespace {

using objects::Builder;
using objects::Node;

constexpr std::int64_t cpu_period_microseconds = 100'000;
constexpr std::int64_t terminals_group = 5;

constexpr std::array<std::string_view, 41> capability_names = {"CAP_CHOWN",
                                                               "CAP_DAC_OVERRIDE",
                                                               "CAP_DAC_READ_SEARCH",
                                                               "CAP_FOWNER",
                                                               "CAP_FSETID",
                                                               "CAP_KILL",
                                                               "CAP_SETGID",
                                                               "CAP_SETUID",
                                                               "CAP_SETPCAP",
                                                               "CAP_LINUX_IMMUTABLE",
                                                               "CAP_NET_BIND_SERVICE",
                                                               "CAP_NET_BROADCAST",
                                                               "CAP_NET_ADMIN",
                                                               "CAP_NET_RAW",
                                                               "CAP_IPC_LOCK",
                                                               "CAP_IPC_OWNER",
                                                               "CAP_SYS_MODULE",
                                                               "CAP_SYS_RAWIO",
                                                               "CAP_SYS_CHROOT",
                                                               "CAP_SYS_PTRACE",
                                                               "CAP_SYS_PACCT",
                                                               "CAP_SYS_ADMIN",
                                                               "CAP_SYS_BOOT",
                                                               "CAP_SYS_NICE",
                                                               "CAP_SYS_RESOURCE",
                                                               "CAP_SYS_TIME",
                                                               "CAP_SYS_TTY_CONFIG",
                                                               "CAP_MKNOD",
                                                               "CAP_LEASE",
                                                               "CAP_AUDIT_WRITE",
                                                               "CAP_AUDIT_CONTROL",
                                                               "CAP_SETFCAP",
                                                               "CAP_MAC_OVERRIDE",
                                                               "CAP_MAC_ADMIN",
                                                               "CAP_SYSLOG",
                                                               "CAP_WAKE_ALARM",
                                                               "CAP_BLOCK_SUSPEND",
                                                               "CAP_AUDIT_READ",
                                                               "CAP_PERFMON",
                                                               "CAP_BPF",
                                                               "CAP_CHECKPOINT_RESTORE"};

// What of /proc and /sys tells of the machine, or changes it.
constexpr std::array masked_paths = {"/proc/acpi",
                                     "/proc/asound",
                                     "/proc/interrupts",
                                     "/proc/kcore",
                                     "/proc/keys",
                                     "/proc/latency_stats",
                                     "/proc/sched_debug",
                                     "/proc/scsi",
                                     "/proc/timer_list",
                                     "/proc/timer_stats",
                                     "/sys/devices/virtual/powercap",
                                     "/sys/firmware"};
constexpr std::array read_only_paths = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys",
                                        "/proc/sysrq-trigger"};

class ConfigWriter {
 public:
  ConfigWriter(const ContainerSpec& container, const OciPlace& place)
      : container_(container), place_(place) {}

  std::string write() {
    std::vector<Node> pairs = {key("ociVersion"),
                               key("1.0.2"),
                               key("process"),
                               process(),
                               key("root"),
                               object({key("path"), text(place_.root), key("readonly"),
                                       boolean(container_.has_read_only_root)}),
                               key("mounts"),
                               mounts(),
                               key("linux"),
                               kernel()};
    if (!container_.devices.hooks.empty()) {
      pairs.push_back(key("hooks"));
      pairs.push_back(hooks());
    }
    const Node root = builder_.object_of_pairs(pairs);
    return objects::to_json(std::move(builder_).finish(root));
  }

 private:
  static Node key(std::string_view literal) { return Builder::literal(literal); }
  static Node boolean(bool value) { return Builder::boolean(value); }
  static Node number(std::int64_t value) { return Builder::integer(value); }
  Node text(std::string_view value) { return builder_.text(value); }
  Node object(std::initializer_list<Node> pairs) {
    return builder_.object_of_pairs({pairs.begin(), pairs.size()});
  }
  template <class Texts>
  Node texts(const Texts& list) {
    std::vector<Node> nodes;
    nodes.reserve(std::size(list));
    for (const auto& each : list) nodes.push_back(text(each));
    return builder_.array(nodes);
  }

  // What the machine cannot give, nobody gets; runc would refuse the whole container.
  std::vector<std::string> capabilities() const {
    std::vector<std::string> given;
    for (std::size_t i = 0; i < capability_names.size(); ++i) {
      const auto& wanted = container_.image_run.capabilities;
      const bool is_wanted =
          container_.image_run.is_privileged ||
          std::find(wanted.begin(), wanted.end(), capability_names[i]) != wanted.end();
      if (is_wanted && (place_.capabilities >> i & 1) != 0) given.emplace_back(capability_names[i]);
    }
    return given;
  }

  Node process() {
    std::vector<std::string> environment;
    for (const auto& [name, value] : container_.environment) {
      environment.push_back(fmt::format("{}={}", name, value));
    }
    std::vector<Node> groups;
    for (const std::uint32_t group : container_.groups) groups.push_back(number(group));
    const Node user = object({key("uid"), number(container_.user.value_or(0)),   //
                              key("gid"), number(container_.group.value_or(0)),  //
                              key("additionalGids"), builder_.array(groups)});
    const Node given = texts(capabilities());
    return object({key("terminal"), boolean(container_.has_terminal),  //
                   key("user"), user,                                  //
                   key("args"), texts(container_.arguments),           //
                   key("env"), texts(environment),                     //
                   key("cwd"), text(container_.working_folder),        //
                   key("capabilities"),
                   object({key("bounding"), given, key("effective"), given,  //
                           key("permitted"), given}),
                   key("noNewPrivileges"), boolean(!container_.image_run.may_gain_rights)});
  }

  Node mount(std::string_view kind, std::string_view source, std::string_view target,
             std::initializer_list<std::string_view> options) {
    return object({key("destination"), text(target), key("type"), text(kind),  //
                   key("source"), text(source), key("options"), texts(options)});
  }

  Node bind(const std::string& source, const std::string& target, bool read_only) {
    return mount("bind", source, target, {"rbind", "rprivate", read_only ? "ro" : "rw"});
  }

  bool is_mounted_by_pod(std::string_view target) const {
    return std::any_of(place_.mounts.begin(), place_.mounts.end(),
                       [&](const Mount& mount) { return mount.target == target; });
  }

  Node mounts() {
    const bool is_privileged = container_.image_run.is_privileged;
    std::vector<Node> list;
    list.push_back(mount("proc", "proc", "/proc", {"nosuid", "noexec", "nodev"}));
    list.push_back(
        mount("tmpfs", "tmpfs", "/dev", {"nosuid", "strictatime", "mode=755", "size=65536k"}));
    list.push_back(mount("devpts", "devpts", "/dev/pts",
                         {"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620",
                          fmt::format("gid={}", terminals_group)}));
    list.push_back(mount("mqueue", "mqueue", "/dev/mqueue", {"nosuid", "noexec", "nodev"}));
    if (!is_mounted_by_pod("/dev/shm")) {
      list.push_back(mount("tmpfs", "shm", "/dev/shm",
                           {"nosuid", "noexec", "nodev", "mode=1777", "size=65536k"}));
    }
    const std::string_view access = is_privileged ? "rw" : "ro";
    list.push_back(mount("sysfs", "sysfs", "/sys", {"nosuid", "noexec", "nodev", access}));
    list.push_back(mount("cgroup", "cgroup", "/sys/fs/cgroup",
                         {"nosuid", "noexec", "nodev", "relatime", access}));
    for (const std::string_view name : {"hosts", "hostname", "resolv.conf"}) {
      const std::string target = fmt::format("/etc/{}", name);
      if (place_.etc_folder.empty() || is_mounted_by_pod(target)) continue;
      list.push_back(bind(fmt::format("{}/{}", place_.etc_folder, name), target,
                          container_.has_read_only_root));
    }
    for (const Mount& each : place_.mounts) {
      list.push_back(bind(each.source, each.target, each.read_only));
    }
    if (!place_.last_words.empty()) {
      list.push_back(bind(place_.last_words, container_.last_words_path, false));
    }
    return builder_.array(list);
  }

  std::vector<DeviceNode> devices() const {
    std::vector<DeviceNode> list = container_.devices.nodes;
    if (!container_.image_run.is_privileged) return list;
    for (const DeviceFile& file : place_.machine_devices) {
      list.push_back({.path = file.path,
                      .host_path = file.path,
                      .kind = file.kind,
                      .major = file.major,
                      .minor = file.minor,
                      .mode = file.mode,
                      .user = file.user,
                      .group = file.group});
    }
    return list;
  }

  Node device_nodes() {
    std::vector<Node> list;
    for (const DeviceNode& node : devices()) {
      list.push_back(object({key("path"), text(node.path),                  //
                             key("type"), text(std::string(1, node.kind)),  //
                             key("major"), number(node.major),              //
                             key("minor"), number(node.minor),              //
                             key("fileMode"), number(node.mode),            //
                             key("uid"), number(node.user),                 //
                             key("gid"), number(node.group)}));
    }
    return builder_.array(list);
  }

  // Nothing but what was given, and what runc gives to everybody: null, zero, full, random …
  Node device_rules() {
    const bool is_privileged = container_.image_run.is_privileged;
    std::vector<Node> rules = {object({key("allow"), boolean(is_privileged),  //
                                       key("access"), key("rwm")})};
    for (const DeviceNode& node : devices()) {
      if (is_privileged) break;
      rules.push_back(object({key("allow"), boolean(true),                   //
                              key("type"), text(std::string(1, node.kind)),  //
                              key("major"), number(node.major),              //
                              key("minor"), number(node.minor),              //
                              key("access"), text(node.access)}));
    }
    return builder_.array(rules);
  }

  Node resources() {
    std::vector<Node> pairs = {key("devices"), device_rules()};
    const auto add = [&](std::string_view name, Node value) {
      pairs.push_back(key(name));
      pairs.push_back(value);
    };
    if (container_.memory_bytes_max > 0 && place_.limits_memory) {
      std::vector<Node> memory = {key("limit"), number(container_.memory_bytes_max)};
      // Of both together: so nothing of it is swapped.
      if (place_.is_unified) {
        memory.insert(memory.end(), {key("swap"), number(container_.memory_bytes_max)});
      }
      add("memory", builder_.object_of_pairs(memory));
    }
    if (place_.processes_max > 0 && place_.limits_processes) {
      add("pids", object({key("limit"), number(place_.processes_max)}));
    }
    std::vector<Node> cpu;
    if (container_.image_run.cpu_shares > 0) {
      cpu.insert(cpu.end(), {key("shares"), number(container_.image_run.cpu_shares)});
    }
    if (container_.image_run.cpu_quota_microseconds > 0) {
      cpu.insert(cpu.end(), {key("quota"), number(container_.image_run.cpu_quota_microseconds),
                             key("period"), number(cpu_period_microseconds)});
    }
    if (place_.is_unified && place_.limits_memory) {
      add("unified", object({key("memory.oom.group"), key("1")}));
    }
    if (!cpu.empty() && place_.limits_cpu) add("cpu", builder_.object_of_pairs(cpu));
    return builder_.object_of_pairs(pairs);
  }

  Node namespaces() {
    std::vector<Node> list = {object({key("type"), key("mount")})};
    if (place_.own_processes) list.push_back(object({key("type"), key("pid")}));
    const auto join = [&](std::string_view type, std::string_view file) {
      const std::int64_t holder = type == "pid" ? place_.processes_of : place_.holder;
      list.push_back(object({key("type"), key(type), key("path"),
                             text(fmt::format("/proc/{}/ns/{}", holder, file))}));
    };
    if (!place_.own_processes && place_.processes_of > 0) join("pid", "pid");
    if (place_.holder > 0) {
      join("ipc", "ipc");
      join("uts", "uts");
      if (place_.own_network) join("network", "net");
    }
    return builder_.array(list);
  }

  Node kernel() {
    std::vector<Node> pairs = {
        key("namespaces"), namespaces(), key("cgroupsPath"), text(place_.control_group),
        key("resources"),  resources(),  key("devices"),     device_nodes()};
    const auto add = [&](std::string_view name, Node value) {
      pairs.push_back(key(name));
      pairs.push_back(value);
    };
    if (!container_.image_run.is_privileged) {
      add("maskedPaths", texts(masked_paths));
      add("readonlyPaths", texts(read_only_paths));
      if (container_.image_run.is_filtered) {
        add("seccomp", system_call_profile(builder_, capabilities()));
      }
    }
    return builder_.object_of_pairs(pairs);
  }

  Node hooks() {
    std::map<std::string, std::vector<Node>> stages;
    for (const DeviceHook& hook : container_.devices.hooks) {
      std::vector<Node> pairs = {key("path"),           text(hook.path), key("args"),
                                 texts(hook.arguments), key("env"),      texts(hook.environment)};
      if (hook.timeout_seconds > 0) {
        pairs.push_back(key("timeout"));
        pairs.push_back(number(hook.timeout_seconds));
      }
      stages[hook.stage].push_back(builder_.object_of_pairs(pairs));
    }
    std::vector<Node> pairs;
    for (const auto& [stage, list] : stages) {
      pairs.push_back(text(stage));
      pairs.push_back(builder_.array(list));
    }
    return builder_.object_of_pairs(pairs);
  }

  const ContainerSpec& container_;
  const OciPlace& place_;
  Builder builder_;
};

}  // namespace

std::string oci_config_text(const ContainerSpec& container, const OciPlace& place) {
  return ConfigWriter(container, place).write();
}

std::string_view capability_name(std::size_t number) {
  return number < capability_names.size() ? capability_names[number] : std::string_view();
}

std::size_t capabilities_known() {
  return capability_names.size();
}

}  // namespace muster::agent
