// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "simulator/house/script_writer.h"

namespace muster::simulator {

namespace {

constexpr std::array<std::string_view, 3> teams{"team-a", "team-b", "team-c"};
constexpr std::int64_t one_second = 10'000;  // of a short script

}  // namespace

// Three teams with equal queues and nothing of their own share what their cohort has. Each comes a
// second after the one before, with more than there is room for. All ask for as much: in a queue
// that lets small ones pass, who asks for more waits longer, and that is as it should be.
void ScriptWriter::fair_queues() {
  add(0, "policy", {{"notes", "lost"}});
  add(0, "namespace", {{"name", "kueue-system"}});
  add(0, "configuration", {{"fair", "true"}});
  add(0, "flavor", {{"name", "default"}});
  add(0, "cohort", {{"name", "all"}, {"default", "12"}});
  const std::string reclaim = one_of({"Never", "Any"});
  for (const std::string_view team : teams) {
    const std::string name(team);
    add(0, "namespace", {{"name", name}});
    add(0, "queue",
        {{"name", name},
         {"strategy", "BestEffortFIFO"},
         {"cohort", "all"},
         {"default", "0"},
         {"reclaim", reclaim}});
    add(0, "local-queue", {{"namespace", name}, {"name", "main"}, {"cluster-queue", name}});
  }
  add(0, "machine", {{"name", "m0"}, {"cpu", "8"}, {"nodes", "2"}});
  add(0, "machine", {{"name", "m1"}, {"cpu", "8"}, {"nodes", "2"}});
  const std::string pods = std::to_string(between(1, 3));
  std::int64_t comes = one_second;
  for (const std::string_view team : teams) {
    backlog(std::string(team), pods, comes);
    comes += one_second;
  }
  brief_faults();
}

// Nothing that keeps the scheduler away for long: whose jobs ended meanwhile has less until it is
// back, and that is nobody's mistake.
void ScriptWriter::brief_faults() {
  const auto rate = [&](std::int64_t often, std::int64_t rare) {
    return percent(60) ? std::to_string(between(often, rare)) : std::string("0");
  };
  add(one_second / 2, "faults",
      {{"call-lost-in", rate(10, 200)},
       {"answer-lost-in", rate(10, 200)},
       {"conflict-in", rate(10, 100)},
       {"event-twice-in", rate(3, 50)},
       {"watch-closed-in", rate(30, 1'000)},
       {"delay-max", rate(1, 200)},
       {"disk-jitter-max", rate(1, 20)}});
  for (std::int64_t n = between(1, 3); n > 0; --n) {
    const std::int64_t at = between(5 * one_second, 90 * one_second);
    const std::string down = std::to_string(between(1, 1'000));
    add(at, "crash", {{"unsynced", one_of({"any", "none", "all"})}, {"down", down}});
  }
  for (std::int64_t n = between(0, 2); n > 0; --n) {
    const std::int64_t at = between(5 * one_second, 90 * one_second);
    add(at, "clock-jump", {{"by", std::to_string(between(-7'200'000, 7'200'000))}});
  }
}

void ScriptWriter::backlog(const std::string& team, const std::string& pods, std::int64_t comes) {
  const std::int64_t count = between(40, 50);
  for (std::int64_t number = 0; number < count; ++number) {
    const std::int64_t at = comes + between(0, one_second - 1);
    add(at, "submit",
        {{"namespace", team},
         {"name", fmt::format("job-{}", number)},
         {"queue", "main"},
         {"pods", pods},
         {"cpu", "1"},
         {"run", std::to_string(between(3'000, 12'000))},
         {"backoff", "50"},
         {"fate", "completes"}});
  }
}

}  // namespace muster::simulator
