// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/run_seed.h"

#include <algorithm>
#include <utility>

namespace muster::simulator {

Outcome run_script(const Script& script, const Seams& seams) {
  World world(script, seams);
  return world.run();
}

namespace {

bool is_stage(const Line& line) {
  return line.at_milliseconds == 0 || line.verb == "calm";
}

// The script without `count` of its lines that are not the stage, from the n-th of them on.
Script without(const Script& script, std::size_t from, std::size_t count) {
  Script smaller{.seed = script.seed, .lines = {}};
  std::size_t number = 0;
  for (const Line& line : script.lines) {
    const bool stays = is_stage(line) || number < from || number >= from + count;
    if (!is_stage(line)) ++number;
    if (stays) smaller.lines.push_back(line);
  }
  return smaller;
}

std::size_t lines_beside_stage(const Script& script) {
  return static_cast<std::size_t>(
      std::ranges::count_if(script.lines, [](const Line& line) { return !is_stage(line); }));
}

}  // namespace

Script shrink(const Script& script, const Seams& seams, const Outcome& outcome, int runs_max) {
  Script best = script;
  std::size_t chunk = lines_beside_stage(best) / 2;
  while (chunk > 0 && runs_max > 0) {
    bool has_shrunk = false;
    for (std::size_t from = 0; from < lines_beside_stage(best) && runs_max > 0;) {
      Script smaller = without(best, from, chunk);
      --runs_max;
      if (run_script(smaller, seams).invariant == outcome.invariant) {
        best = std::move(smaller);
        has_shrunk = true;
      } else {
        from += chunk;
      }
    }
    if (chunk == 1 && !has_shrunk) break;
    chunk = std::max<std::size_t>(1, chunk / 2);
  }
  return best;
}

}  // namespace muster::simulator
