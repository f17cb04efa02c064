// Limits for a group of processes: memory, their number and the time of processors, by control
// groups version 1 or 2, where the machine lets us write there. Groups of version 1 are made below
// the group that this process is in. In version 2 a group with processes hands no controllers down
// (but the root of all), so groups are made below the nearest one above us that hands down most.
//
//   hand_controllers_down();                                   // once, before the first group
//   auto groups = ControlGroups::find();                       // what there is; may be nothing
//   auto group = TRY(groups.make("muster-4711", {.memory_bytes = 1 << 30, .processes = 4096}));
//   TRY(group.join());                                         // this process and its children
//   …
//   group.remove();                                            // once its processes are gone
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster {

struct GroupLimits {
  std::int64_t memory_bytes = 0;            // 0: none
  std::int64_t processes = 0;               // 0: none
  std::int64_t cpu_quota_microseconds = 0;  // of every tenth of a second; 0: none
};

// Where the kernel tells of hierarchies, and of the groups that this process is in.
struct ControlGroupSources {
  std::string mounts = "/proc/self/mounts";
  std::string own_groups = "/proc/self/cgroup";
};

// Has version 2 hand the controllers down that we limit by, where this process may say so: in its
// own group or above. Where we are all that is in sight (a cgroup namespace, as containers have),
// its processes move to a group of their own first, because the kernel asks for that.
void hand_controllers_down(const ControlGroupSources& sources = {});

class ControlGroup {
 public:
  // This process, which has one thread.
  Result<> join() const;

  // How many of its processes were killed because the group was out of memory.
  std::int64_t killed_for_memory() const;

  // What its processes use and could not be dropped at once; nothing where nobody counts it.
  std::optional<std::int64_t> memory_bytes() const;

  void remove() const;

 private:
  friend class ControlGroups;
  std::vector<std::string> folders_;
  std::string memory_folder_;
  std::string events_file_;  // has a line "oom_kill N"
};

class ControlGroups {
 public:
  static ControlGroups find(const ControlGroupSources& sources = {});

  // What can be limited, for people: "memory, processes and cpu time (cgroup v1)", "nothing".
  std::string describe() const;

  // Limits what can be limited. A group of this name that nobody is in any more is replaced.
  Result<ControlGroup> make(const std::string& name, const GroupLimits& limits) const;

  // The group of that name, as far as it exists.
  ControlGroup named(const std::string& name) const;

  // What container runtimes call the group of that name: they look below their own in version 1,
  // and in version 2 from the root on.
  std::string name_for_runtimes(const std::string& name) const;

  bool limits_memory() const { return memory_.has_value(); }
  bool limits_processes() const { return processes_.has_value(); }
  bool limits_cpu() const { return cpu_.has_value(); }

  // All that runs on this machine is limited by version 2, and by nothing else.
  bool is_unified() const { return unified_only_.has_value(); }

 private:
  struct Place {
    std::string folder;  // where groups are made
    bool unified = false;
  };
  std::optional<Place> memory_;
  std::optional<Place> processes_;
  std::optional<Place> cpu_;
  // Where version 2 is mounted alone: below its root, the path of the group that ours are made in.
  std::optional<std::string> unified_only_;
};

// The group of that name in every hierarchy of this machine, where ControlGroups makes them: for
// groups that somebody else made there (runc). Ends whoever is in it, and waits a little;
// takes it away.
void end_group_everywhere(const std::string& name);
void remove_group_everywhere(const std::string& name);

}  // namespace muster
