// SPDX-License-Identifier: Apache-2.0
#include "base/os/control_group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>

#include "base/os/descriptor.h"
#include "base/os/detached_process.h"
#include "base/os/files.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

constexpr std::size_t proc_bytes_max = std::size_t{1} << 20;

// In microseconds, as kubelets have them: the time in which a quota holds, and the least quota that
// the kernel takes.
constexpr std::int64_t cpu_period = 100'000;
constexpr std::int64_t cpu_quota_min = 1'000;

constexpr std::array<std::string_view, 3> controllers = {"memory", "pids", "cpu"};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool contains(const std::vector<std::string_view>& parts, std::string_view wanted) {
  return std::find(parts.begin(), parts.end(), wanted) != parts.end();
}

using Folders = std::map<std::string, std::string>;

// Where each version 1 controller is mounted, and under "" where version 2 is.
Folders mounted_hierarchies(const ControlGroupSources& sources) {
  Folders mounted;
  const auto text = read_whole_file(sources.mounts, proc_bytes_max);
  if (!text) return mounted;
  for (const std::string_view line : split(*text, '\n')) {
    const auto words = split(line, ' ');  // device, folder, kind, options
    if (words.size() < 4) continue;
    if (words[2] == "cgroup2") mounted.emplace("", words[1]);
    if (words[2] != "cgroup") continue;
    for (const std::string_view option : split(words[3], ',')) {
      // Names of controllers and hierarchies; what else is an option is nobody's group.
      mounted.emplace(option, words[1]);
    }
  }
  return mounted;
}

// The group that this process is in, by controller; under "" that of version 2.
Folders own_groups(const ControlGroupSources& sources) {
  Folders groups;
  const auto text = read_whole_file(sources.own_groups, proc_bytes_max);
  if (!text) return groups;
  for (const std::string_view line : split(*text, '\n')) {
    const auto words = split(line, ':');  // number, controllers, path
    if (words.size() < 3) continue;
    for (const std::string_view controller : split(words[1], ',')) {
      groups.emplace(controller, words[2] == "/" ? "" : words[2]);
    }
  }
  return groups;
}

// The number behind the word with which a line begins.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view word) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(word)) continue;
    std::int64_t number = 0;
    const char* const end = line.data() + line.size();
    if (std::from_chars(line.data() + word.size(), end, number).ec != std::errc()) break;
    return number;
  }
  return std::nullopt;
}

Result<> write_value(const std::string& path, const std::string& value) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return system_error("open", path, errno);
  if (::write(file.number(), value.data(), value.size()) < 0) {
    return system_error("write", path, errno);
  }
  return {};
}

bool lists(const std::string& file, std::string_view controller) {
  const auto text = read_whole_file(file, proc_bytes_max);
  return text && contains(split(text->substr(0, text->find('\n')), ' '), controller);
}

// Version 2 as this process sees it. A controller that version 1 has is not there.
struct Unified {
  std::string root;
  std::string own;  // below it; empty: the root itself

  // The paths of this process' group and of those above, the nearest first.
  std::vector<std::string> upward() const {
    std::vector<std::string> paths = {own};
    while (!paths.back().empty()) paths.push_back(paths.back().substr(0, paths.back().rfind('/')));
    return paths;
  }

  bool hands_down(const std::string& path, std::string_view controller) const {
    return lists(root + path + "/cgroup.subtree_control", controller);
  }

  // A group with processes of its own can hand down nothing, or not to groups of processes: only
  // the root of all can, which is known by not having this file.
  bool can_hand_down(const std::string& path) const {
    const auto members = read_whole_file(root + path + "/cgroup.procs", proc_bytes_max);
    const bool is_root = ::access((root + path + "/cgroup.type").c_str(), F_OK) != 0;
    return is_root || (members && members->empty());
  }

  // Where groups are limited in the most ways; this process' own where they are not at all.
  std::string best() const {
    std::string found = own;
    std::ptrdiff_t most = 0;
    for (const std::string& path : upward()) {
      if (!can_hand_down(path) || ::access((root + path).c_str(), W_OK) != 0) continue;
      const auto count = std::count_if(controllers.begin(), controllers.end(),
                                       [&](auto each) { return hands_down(path, each); });
      if (count > most) found = path;
      most = std::max<std::ptrdiff_t>(most, count);
    }
    return found;
  }
};

std::optional<Unified> unified_of(const Folders& mounted, const Folders& own) {
  const auto mount = mounted.find("");
  const auto group = own.find("");
  // Processes of other cgroup namespaces are in groups that this one cannot see.
  if (mount == mounted.end() || group == own.end() || group->second.starts_with("/..")) {
    return std::nullopt;
  }
  return Unified{.root = mount->second, .own = group->second};
}

// What the kernel refuses stays as it is.
void enable(const std::string& folder) {
  for (const std::string_view controller : controllers) {
    if (!lists(folder + "/cgroup.controllers", controller)) continue;
    const std::string file = folder + "/cgroup.subtree_control";
    if (lists(file, controller)) continue;
    static_cast<void>(write_value(file, fmt::format("+{}", controller)));
  }
}

// One that is started meanwhile is moved in the next round.
void move_members(const std::string& from, const std::string& to) {
  constexpr int rounds_max = 10;
  if (::mkdir(to.c_str(), 0755) < 0 && errno != EEXIST) return;
  for (int round = 0; round < rounds_max; ++round) {
    const auto members = read_whole_file(from + "/cgroup.procs", proc_bytes_max);
    if (!members || members->empty()) return;
    for (const std::string_view member : split(*members, '\n')) {
      if (member.empty()) continue;
      static_cast<void>(write_value(to + "/cgroup.procs", std::string(member)));
    }
  }
}

}  // namespace

void hand_controllers_down(const ControlGroupSources& sources) {
  const auto unified = unified_of(mounted_hierarchies(sources), own_groups(sources));
  if (!unified) return;
  // We are all that is in sight.
  if (unified->own.empty() && !unified->can_hand_down("")) {
    move_members(unified->root, unified->root + "/muster-others");
  }
  std::vector<std::string> downward = unified->upward();
  std::reverse(downward.begin(), downward.end());  // a group has only what the one above hands down
  for (const std::string& path : downward) {
    if (unified->can_hand_down(path)) enable(unified->root + path);
  }
}

// Whoever moves a process waits until no processor is in the middle of a fork or an exec, some ten
// milliseconds; a thread that moves itself, which version 1 lets it, does not.
Result<> ControlGroup::join() const {
  for (const std::string& folder : folders_) {
    const std::string threads = folder + "/tasks";
    const bool has_threads = ::access(threads.c_str(), F_OK) == 0;
    TRY(write_value(has_threads ? threads : folder + "/cgroup.procs", "0"));
  }
  return {};
}

std::int64_t ControlGroup::killed_for_memory() const {
  if (events_file_.empty()) return 0;
  const auto text = read_whole_file(events_file_, proc_bytes_max);
  return text ? number_after(*text, "oom_kill ").value_or(0) : 0;
}

std::optional<std::int64_t> ControlGroup::memory_bytes() const {
  if (memory_folder_.empty()) return std::nullopt;
  auto used = read_whole_file(memory_folder_ + "/memory.current", proc_bytes_max);
  const bool unified = used.has_value();
  if (!unified) used = read_whole_file(memory_folder_ + "/memory.usage_in_bytes", proc_bytes_max);
  const auto facts = read_whole_file(memory_folder_ + "/memory.stat", proc_bytes_max);
  if (!used || !facts) return std::nullopt;
  const auto bytes = number_after(*used, "");
  const auto idle = number_after(*facts, unified ? "inactive_file " : "total_inactive_file ");
  if (!bytes) return std::nullopt;
  return std::max<std::int64_t>(0, *bytes - idle.value_or(0));
}

void ControlGroup::remove() const {
  for (const std::string& folder : folders_) ::rmdir(folder.c_str());
}

// Version 1 first: where both are mounted, a controller is on one of them.
ControlGroups ControlGroups::find(const ControlGroupSources& sources) {
  ControlGroups groups;
  const Folders mounted = mounted_hierarchies(sources);
  const Folders own = own_groups(sources);
  const auto unified = unified_of(mounted, own);
  const std::string best = unified ? unified->best() : std::string();
  const auto place_of = [&](const std::string& controller) -> std::optional<Place> {
    const auto mount = mounted.find(controller);
    const auto group = own.find(controller);
    if (mount != mounted.end() && group != own.end()) {
      const std::string folder = mount->second + group->second;
      if (::access(folder.c_str(), W_OK) == 0) return Place{folder, false};
    }
    if (!unified || !unified->hands_down(best, controller)) return std::nullopt;
    return Place{unified->root + best, true};
  };
  groups.memory_ = place_of("memory");
  groups.processes_ = place_of("pids");
  groups.cpu_ = place_of("cpu");
  if (unified && mounted.size() == 1) groups.unified_only_ = best;
  return groups;
}

std::string ControlGroups::describe() const {
  std::vector<std::string_view> what;
  if (memory_) what.emplace_back("memory");
  if (processes_) what.emplace_back("processes");
  if (cpu_) what.emplace_back("cpu time");
  if (what.empty() && is_unified()) {
    return "nothing (cgroup v2: no group that we may write to hands controllers down)";
  }
  if (what.empty()) return "nothing";
  const auto& first = memory_ ? memory_ : processes_ ? processes_ : cpu_;
  std::string text(what.front());
  for (std::size_t i = 1; i < what.size(); ++i) {
    text += fmt::format("{}{}", i + 1 == what.size() ? " and " : ", ", what[i]);
  }
  return fmt::format("{} (cgroup v{})", text, first->unified ? 2 : 1);
}

ControlGroup ControlGroups::named(const std::string& name) const {
  ControlGroup group;
  if (memory_) {
    group.folders_.push_back(memory_->folder + "/" + name);
    group.memory_folder_ = group.folders_.back();
    group.events_file_ =
        group.folders_.back() + (memory_->unified ? "/memory.events" : "/memory.oom_control");
  }
  for (const auto& place : {processes_, cpu_}) {
    if (!place) continue;
    std::string folder = place->folder + "/" + name;
    auto& folders = group.folders_;
    const bool is_there = std::find(folders.begin(), folders.end(), folder) != folders.end();
    if (!is_there) folders.push_back(std::move(folder));
  }
  return group;
}

std::string ControlGroups::name_for_runtimes(const std::string& name) const {
  return is_unified() ? fmt::format("{}/{}", *unified_only_, name) : name;
}

namespace {

// As kubelets have it where the kernel can: who is over the limit is killed whole, and swaps
// nothing out.
Result<> limit_memory(const std::string& folder, bool unified, const std::string& bytes) {
  if (!unified) return write_value(folder + "/memory.limit_in_bytes", bytes);
  TRY(write_value(folder + "/memory.max", bytes));
  for (const auto& [file, value] : {std::pair("memory.oom.group", "1"), {"memory.swap.max", "0"}}) {
    const std::string path = fmt::format("{}/{}", folder, file);
    if (::access(path.c_str(), F_OK) == 0) TRY(write_value(path, value));
  }
  return {};
}

}  // namespace

Result<ControlGroup> ControlGroups::make(const std::string& name, const GroupLimits& limits) const {
  const ControlGroup group = named(name);
  group.remove();
  for (const std::string& folder : group.folders_) {
    if (::mkdir(folder.c_str(), 0755) < 0) return system_error("make group", folder, errno);
  }
  if (memory_ && limits.memory_bytes > 0) {
    TRY(limit_memory(fmt::format("{}/{}", memory_->folder, name), memory_->unified,
                     fmt::to_string(limits.memory_bytes)));
  }
  if (processes_ && limits.processes > 0) {
    TRY(write_value(fmt::format("{}/{}/pids.max", processes_->folder, name),
                    fmt::format("{}", limits.processes)));
  }
  if (cpu_ && limits.cpu_quota_microseconds > 0) {
    const std::string folder = fmt::format("{}/{}", cpu_->folder, name);
    const std::int64_t quota = std::max(limits.cpu_quota_microseconds, cpu_quota_min);
    if (cpu_->unified) {
      TRY(write_value(folder + "/cpu.max", fmt::format("{} {}", quota, cpu_period)));
    } else {
      TRY(write_value(folder + "/cpu.cfs_period_us", fmt::to_string(cpu_period)));
      TRY(write_value(folder + "/cpu.cfs_quota_us", fmt::to_string(quota)));
    }
  }
  return group;
}

namespace {

std::vector<std::string> group_folders(const std::string& name) {
  std::vector<std::string> folders;
  const Folders mounted = mounted_hierarchies({});
  const Folders own = own_groups({});
  for (const auto& [controller, group] : own) {
    const auto mount = mounted.find(controller);
    if (mount == mounted.end() || controller.empty()) continue;
    folders.push_back(fmt::format("{}{}/{}", mount->second, group, name));
  }
  if (const auto unified = unified_of(mounted, own)) {
    // Beside version 1 a runtime makes a group in version 2 as well, below its own.
    const std::string path = mounted.size() == 1 ? unified->best() : unified->own;
    folders.push_back(fmt::format("{}{}/{}", unified->root, path, name));
  }
  return folders;
}

// Whether somebody was there.
bool kill_members(const std::string& folder) {
  const auto members = read_whole_file(folder + "/cgroup.procs", proc_bytes_max);
  if (!members || members->empty()) return false;
  for (const std::string_view line : split(*members, '\n')) {
    pid_t member = 0;
    std::from_chars(line.data(), line.data() + line.size(), member);
    if (member > 0) ::kill(member, SIGKILL);
  }
  return true;
}

}  // namespace

void end_group_everywhere(const std::string& name) {
  constexpr Span patience = Span::of_milliseconds(500);
  constexpr Span look_every = Span::of_milliseconds(2);
  for (const std::string& folder : group_folders(name)) {
    for (Span waited; waited < patience && kill_members(folder); waited = waited + look_every) {
      pause_thread(look_every);
    }
  }
}

void remove_group_everywhere(const std::string& name) {
  for (const std::string& folder : group_folders(name)) ::rmdir(folder.c_str());
}

}  // namespace muster
