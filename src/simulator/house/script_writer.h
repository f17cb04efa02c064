// ScriptWriter: draws the script of a seed. Rates and kinds of fault are drawn anew for each (swarm
// testing): a seed with few kinds of fault reaches states that one with all of them never does. The
// same goes for rooms, what is there beside queued jobs: topologies, checks, pod groups, live
// edits.
//
//   Script script = ScriptWriter(17).write();
//
// Assumes: compilers evaluate arguments in different orders, so a call draws once, or in braces,
// which have an order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/house/script.h"
#include "simulator/seeded_random.h"

namespace muster::simulator {

// A queue that tenants can use, and what its ClusterQueue lets one gang have.
struct Door {
  std::string_view name_space;
  std::string_view name;
  std::string_view cluster_queue;
  std::int64_t cpu_max;
  bool is_strict;
};
inline constexpr std::array<Door, 5> doors{{{"team-a", "main", "strict", 8, true},
                                            {"team-a", "side", "broad", 12, false},
                                            {"team-b", "main", "broad", 12, false},
                                            {"team-b", "spot", "mixed", 6, false},
                                            {"team-c", "main", "mixed", 6, false}}};

class ScriptWriter {
 public:
  // Wild seeds have rooms and every fault. Short ones are wild, too, with a sixth of the jobs in a
  // tenth of the time: as many ways for things to meet, for far less.
  static constexpr std::uint64_t wild_from = 1'000'000;
  static constexpr std::uint64_t short_from = 2'000'000;
  // Equal queues that share fairly.
  static constexpr std::uint64_t fair_from = 3'000'000;

  explicit ScriptWriter(std::uint64_t seed)
      : random_(seed % wild_from),
        is_wild_(seed >= wild_from),
        is_short_(seed >= short_from),
        is_fair_(seed >= fair_from) {
    script_.seed = seed;
  }

  Script write();

 private:
  using Arguments = std::vector<std::pair<std::string_view, std::string>>;

  enum class Fault : std::uint8_t {
    lost_calls,
    lost_answers,
    conflicts,
    delays,
    repeated_events,
    closed_watches,
    cuts,
    dead_machines,
    clock_jumps,
    slow_disk,
    tame_count,  // of those before
    full_disk = tame_count,
    broken_disk,
    slow_machines,
    lost_shims,
    dead_agents,
    dead_controllers,
    compactions,
    count,
  };
  enum class Room : std::uint8_t {
    topology,
    checks,
    fair_sharing,
    pods,
    cron_jobs,
    apps,
    shrinking,
    stopping,
    deleting,
    priorities,
    count,
  };

  void add(std::int64_t at, std::string_view verb, const Arguments& arguments);
  std::int64_t between(std::int64_t low, std::int64_t high);
  bool percent(std::uint64_t n) { return random_.below(100) < n; }
  std::string one_of(std::initializer_list<std::string_view> words);
  bool has(Fault fault) const { return faults_[static_cast<std::size_t>(fault)]; }
  bool has(Room room) const { return rooms_[static_cast<std::size_t>(room)]; }
  // In a queue with a check, places in a topology are looked for once the check has said yes: who
  // fits nowhere holds its quota meanwhile, as in Kueue, and would for ever.
  bool looks_later(const Door& door) const {
    return has(Room::checks) && has(Room::topology) && door.cluster_queue == "broad";
  }
  // How often a fault happens, drawn only where it is one of the seed's.
  std::int64_t times(Fault fault, std::int64_t most) { return has(fault) ? between(1, most) : 0; }

  // make_script.cc: the stage, queued jobs, the network.
  void house();
  void stage();
  void stage_machines();
  void sharing();
  Arguments queue(std::string_view name, std::string_view strategy, std::string cpu);
  void choose_faults();
  void jobs();
  void job(int number);
  void afterwards(std::int64_t submitted, const Door& door, const std::string& name);
  void crashes();
  void edits();

  // make_trouble.cc: machines, disks and processes.
  void trouble();
  void machine_trouble();
  void disk_trouble();

  // make_rooms.cc: what is there beside queued jobs.
  void choose_rooms();
  void stage_rooms();
  void rooms();
  void pods();
  void apps();
  void live_edits();
  void deleted_queue();

  // make_fair_queues.cc: a script of its own.
  void fair_queues();
  void backlog(const std::string& team, const std::string& pods, std::int64_t comes);
  void brief_faults();

  // make_strangers.cc: people who edit nodes and send nonsense. Drawn last, so that what was drawn
  // before them stays.
  void strangers();
  void named_nodes();
  void standby();

  SeededRandom random_;
  bool is_wild_;
  bool is_short_;
  bool is_fair_;
  Script script_;
  std::array<bool, static_cast<std::size_t>(Fault::count)> faults_ = {};
  std::array<bool, static_cast<std::size_t>(Room::count)> rooms_ = {};
  bool shares_ = false;     // the queues are in cohorts, and may take back what they lent
  bool is_nested_ = false;  // of which one stands above the other
  std::vector<std::pair<std::string, Arguments>> queues_ = {};  // as they were made
};

}  // namespace muster::simulator
