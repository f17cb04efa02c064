// Limits for a group of processes: memory, their number and the time of processors, by control
// groups version 1 or 2 below the group that this process is in, where the machine lets us write
// there.
//
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
  static ControlGroups find();

  // What can be limited, for people: "memory, processes and cpu time (cgroup v1)", "nothing".
  std::string describe() const;

  // Limits what can be limited. A group of this name that nobody is in any more is replaced.
  Result<ControlGroup> make(const std::string& name, const GroupLimits& limits) const;

  // The group of that name, as far as it exists.
  ControlGroup named(const std::string& name) const;

  bool limits_memory() const { return memory_.has_value(); }
  bool limits_processes() const { return processes_.has_value(); }
  bool limits_cpu() const { return cpu_.has_value(); }

 private:
  struct Place {
    std::string folder;  // where groups are made
    bool unified = false;
  };
  std::optional<Place> memory_;
  std::optional<Place> processes_;
  std::optional<Place> cpu_;
};

// The group of that name in every hierarchy of this machine, below the groups that this process is
// in: for groups that somebody else made there (runc). Ends whoever is in it, and waits a little;
// takes it away.
void end_group_everywhere(const std::string& name);
void remove_group_everywhere(const std::string& name);

}  // namespace muster
