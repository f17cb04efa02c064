// Every write of eleven short stories, and a crash before it, after it, and in the midst of it: the
// platform comes back and the story ends as it would have without.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "simulator/house/run_seed.h"
#include "tests/simulation/scenarios.h"

namespace muster::simulator {
namespace {

struct Trial {
  std::size_t story = 0;
  std::string line;
  std::string wrong = {};
};

// What is wrong with a story that was disturbed; empty when nothing is.
std::string compare(const Outcome& whole, const Outcome& disturbed) {
  if (!disturbed.is_well()) return disturbed.invariant + ": " + disturbed.message;
  if (disturbed.ends == whole.ends) return {};
  return fmt::format("it ended with {}, undisturbed with {}", disturbed.ends, whole.ends);
}

void run_all(std::vector<Trial>& runs, const std::vector<Outcome>& wholes) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < runs.size(); at = next++) {
        Trial& run = runs[at];
        run.wrong = compare(wholes[run.story], run_script(stories[run.story].with(run.line), {}));
      }
    });
  }
}

std::vector<Outcome> undisturbed() {
  std::vector<Outcome> wholes;
  for (const Story& story : stories) {
    wholes.push_back(run_script(story.with(""), {}));
    EXPECT_TRUE(wholes.back().is_well()) << story.name << ": " << wholes.back().message;
  }
  return wholes;
}

void expect_all_well(const std::vector<Trial>& runs) {
  std::size_t wrong = 0;
  for (const Trial& run : runs) {
    if (run.wrong.empty() || ++wrong > 5) continue;
    ADD_FAILURE() << stories[run.story].name << ", with " << run.line << run.wrong;
  }
  EXPECT_EQ(wrong, 0U) << "of " << runs.size();
}

TEST(CrashPoints, every_story_ends_as_if_nothing_had_happened) {
  const std::vector<Outcome> wholes = undisturbed();
  std::vector<Trial> runs;
  for (std::size_t story = 0; story < stories.size(); ++story) {
    const std::uint64_t first = wholes[story].disk_operations_at_stage;
    const std::uint64_t last = wholes[story].disk_operations_at_end;
    for (std::uint64_t k = 1; k <= last - first; ++k) {
      for (const std::string_view fate : {"none", "all", "any"}) {
        runs.push_back(
            {story, fmt::format("900 crash after-writes={} down=50 unsynced={}\n", k, fate)});
      }
    }
  }
  run_all(runs, wholes);
  fmt::print("{} crashes in {} stories\n", runs.size(), stories.size());
  expect_all_well(runs);
}

// Controllers look at what is there, not at what they were told (I17).
TEST(Stories, events_late_and_twice_and_lost_calls_change_no_end) {
  const std::vector<Outcome> wholes = undisturbed();
  std::vector<Trial> runs;
  for (std::size_t story = 0; story < stories.size(); ++story) {
    for (const std::string_view faults : {"event-twice-in=2", "delay-max=400", "watch-closed-in=5",
                                          "call-lost-in=5", "answer-lost-in=5", "conflict-in=3",
                                          "event-twice-in=3 delay-max=1500 watch-closed-in=9"}) {
      runs.push_back({story, fmt::format("900 faults {}\n", faults)});
    }
  }
  run_all(runs, wholes);
  expect_all_well(runs);
}

// What it sent is on its way for seconds; whoever comes after it decides when that has arrived, or
// quota would be given away twice.
TEST(Stories, a_controller_that_dies_decides_nothing_beside_its_successor) {
  std::string lines;
  for (int number = 0; number < 8; ++number) {
    lines += fmt::format(
        "{} submit namespace=a name=j-{} queue=main pods=1 cpu=4 run=500{} fate=completes\n",
        1'000 + number * 100, number, number % 2 == 0 ? "" : " priority=high");
  }
  const Story story{"several want the same quota", plain_queue, lines};
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const std::string more =
        fmt::format("900 faults delay-max=2500\n{} control-dies\n", 3'000 + seed * 20);
    const Outcome outcome = run_script(story.with(more, seed), {});
    EXPECT_TRUE(outcome.is_well()) << "seed " << seed << ": " << outcome.message;
  }
}

}  // namespace
}  // namespace muster::simulator
