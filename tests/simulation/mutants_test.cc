// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/mutants.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "simulator/house/run_seed.h"

namespace muster::simulator {
namespace {

// A gang that needs two racks and asks for one waits for ever.
constexpr std::string_view two_racks = R"(seed 1
0 policy notes=lost
0 namespace name=a
0 topology name=racks
0 flavor name=default pool=default topology=racks
0 machine name=m0 cpu=2 nodes=1 pool=default
0 machine name=m1 cpu=2 nodes=1 pool=default
0 queue default=8 name=q strategy=BestEffortFIFO
0 local-queue cluster-queue=q name=main namespace=a
1000 submit namespace=a name=wide queue=main pods=2 cpu=2 run=500 required=rack fate=waits
1500 submit namespace=a name=narrow queue=main pods=2 cpu=1 run=500 required=rack fate=completes
9000 calm
)";

// One that cannot start yet is the first of a StrictFIFO queue; smaller ones come after it.
constexpr std::string_view strict_queue = R"(seed 1
0 policy notes=lost
0 namespace name=a
0 flavor name=default
0 machine name=m0 cpu=4 nodes=1
0 queue default=4 name=q strategy=StrictFIFO
0 local-queue cluster-queue=q name=main namespace=a
1000 submit namespace=a name=long queue=main pods=1 cpu=2 run=200000 fate=completes
2000 submit namespace=a name=first queue=main pods=1 cpu=4 run=500 fate=completes
100000 submit namespace=a name=small-0 queue=main pods=1 cpu=1 run=500 fate=completes
101000 submit namespace=a name=small-1 queue=main pods=1 cpu=1 run=500 fate=completes
102000 submit namespace=a name=small-2 queue=main pods=1 cpu=1 run=500 fate=completes
103000 submit namespace=a name=small-3 queue=main pods=1 cpu=1 run=500 fate=completes
104000 submit namespace=a name=small-4 queue=main pods=1 cpu=1 run=500 fate=completes
110000 calm
)";

// One that runs for hours makes room for a more important one.
constexpr std::string_view preempting_queue = R"(seed 1
0 policy notes=lost
0 namespace name=a
0 flavor name=default
0 priority name=high value=1000
0 machine name=m0 cpu=4 nodes=1
0 queue default=4 name=q strategy=BestEffortFIFO within=LowerPriority
0 local-queue cluster-queue=q name=main namespace=a
1000 submit namespace=a name=long queue=main pods=1 cpu=4 run=9000000 fate=completes
3000 submit namespace=a name=urgent queue=main pods=2 cpu=1 run=500 priority=high fate=completes
9000 calm
8000000 delete-job namespace=a name=long
)";

// Two controllers, of which one stands by.
constexpr std::string_view two_controllers = R"(seed 1
0 policy notes=lost
0 standby
0 namespace name=a
0 flavor name=default
0 machine name=m0 cpu=4 nodes=1
0 queue default=4 name=q strategy=BestEffortFIFO
0 local-queue cluster-queue=q name=main namespace=a
1000 submit namespace=a name=early queue=main pods=2 cpu=1 run=500 fate=completes
30000 submit namespace=a name=late queue=main pods=2 cpu=1 run=500 fate=completes
40000 cut who=control for=30000
50000 submit namespace=a name=meanwhile queue=main pods=2 cpu=1 run=500 fate=completes
90000 calm
)";

// What is known to find a bug: a seed, or a story.
struct Finder {
  std::string_view mutant;
  std::uint64_t seed = 0;
  std::string_view story = {};

  Script script() const { return seed == 0 ? Script::parse(story).must() : make_script(seed); }
};

constexpr std::array finders{
    Finder{"double-quota", 1},
    Finder{"one-node", 1},
    Finder{"silence", 1},
    Finder{"undone-ends", 1},
    Finder{"kept-finalizers", 1},
    Finder{"hasty-release", 1},
    Finder{"deaf-watch", 2},
    Finder{"early-rank", 1},
    Finder{"lying-disk", 1},
    Finder{"forgetful-runtime", 7},
    Finder{"forgiven-errors", 1'000'004},
    Finder{"backward-revision", 1},
    Finder{"lost-deletes", 1},
    Finder{"told-twice", 1},
    Finder{"back-in-time", 1},
    Finder{"stale-lists", 1},
    Finder{"overflown-requests", 1},
    Finder{"double-count", 1},
    Finder{"stale-quota", 1'000'005},
    Finder{"leaked-quota", 1},
    Finder{"flat-topology", 0, two_racks},
    Finder{"hasty-checks", 1'000'002},
    Finder{"unguarded-queues", 1'000'007},
    Finder{"stuck-preemptions", 0, preempting_queue},
    Finder{"zombies", 1'000'001},
    Finder{"lost-updates", 1},
    Finder{"ruthless-queues", 1},
    Finder{"lenient-queues", 0, strict_queue},
    Finder{"two-leaders", 0, two_controllers},
    Finder{"first-come", 3'000'002},
};

// The product changes, and with it what happens in a seed: these many more may be tried, in all.
constexpr int more_seeds_max = 40;

template <typename Work>
void on_all_cores(std::size_t count, Work work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < count; at = next++) work(at);
    });
  }
}

struct Trial {
  std::uint64_t seed = 0;
  Outcome outcome = {};
};

// The seed that is known to find it, then others while there are any left to try.
Trial hunt(const Finder& finder, const Mutant& mutant, std::atomic<int>& more_seeds) {
  Trial trial{finder.seed, run_script(finder.script(), mutant.make())};
  while (finder.seed != 0 && trial.outcome.is_well() && more_seeds-- > 0) {
    trial.outcome = run_seed(++trial.seed, mutant.make());
  }
  return trial;
}

// A simulator that finds nothing may be blind: every planted bug is found, and not all by one; and
// what finds it is well without it.
TEST(Mutants, every_planted_bug_is_found_by_what_is_well_without_it) {
  const auto mutants = all_mutants();
  EXPECT_GE(mutants.size(), 25U);
  std::vector<Trial> trials(finders.size());
  std::atomic<int> more_seeds = more_seeds_max;
  on_all_cores(finders.size(), [&](std::size_t i) {
    const Mutant* mutant = find_mutant(finders[i].mutant);
    if (mutant != nullptr) trials[i] = hunt(finders[i], *mutant, more_seeds);
  });
  std::set<std::string> invariants;
  std::set<std::string_view> found;
  std::map<std::pair<std::uint64_t, std::string_view>, Outcome> sound;
  for (std::size_t i = 0; i < finders.size(); ++i) {
    const auto& [seed, outcome] = trials[i];
    fmt::print("{:20} {:>8} {:18} {}\n", finders[i].mutant, seed, outcome.invariant,
               outcome.message.substr(0, 100));
    if (outcome.is_well()) continue;
    found.insert(finders[i].mutant);
    invariants.insert(outcome.invariant);
    sound.emplace(std::pair(seed, finders[i].story), Outcome{});
  }
  for (const Mutant& each : mutants) {
    EXPECT_TRUE(found.contains(each.name)) << each.name << " was not found: " << each.what;
  }
  EXPECT_GE(invariants.size(), 10U);

  std::vector<std::pair<const std::pair<std::uint64_t, std::string_view>, Outcome>*> without;
  for (auto& each : sound) without.push_back(&each);
  on_all_cores(without.size(), [&](std::size_t i) {
    auto& [what, outcome] = *without[i];
    outcome = run_script(Finder{"", what.first, what.second}.script(), {});
  });
  for (const auto& [what, outcome] : sound) {
    EXPECT_TRUE(outcome.is_well()) << "seed " << what.first << " " << what.second << ": "
                                   << outcome.invariant << ": " << outcome.message;
  }
}

}  // namespace
}  // namespace muster::simulator
