// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/simulate.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "simulator/house/mutants.h"
#include "simulator/house/run_seed.h"

namespace muster::simulator {

namespace {

double seconds_of(Span span) {
  return static_cast<double>(span.nanoseconds) / 1e9;
}

std::string describe(std::uint64_t seed, const Outcome& outcome) {
  if (outcome.is_well()) {
    return fmt::format("seed {}: well, {} steps, {} writes, {} lives, {:.0f} s, state {:016x}\n",
                       seed, outcome.step, outcome.writes, outcome.lives,
                       seconds_of(outcome.simulated), outcome.fingerprint);
  }
  return fmt::format("seed {}: {} is broken at step {} after {:.3f} s\n  {}\n", seed,
                     outcome.invariant, outcome.step, seconds_of(outcome.simulated),
                     outcome.message);
}

}  // namespace

int simulate(const cli::SimulateOptions& options, const cli::Output& output, const Clock& clock) {
  Seams seams;
  if (!options.mutant.empty()) {
    const Mutant* mutant = find_mutant(options.mutant);
    if (mutant == nullptr) {
      return cli::fail(
          output, Error::bad_request("no such mutant; there are " + mutant_names(), "--mutant"));
    }
    seams = mutant->make();
  }
  const MonotonicInstant began = clock.monotonic();
  Span simulated;
  for (std::uint64_t seed = options.seed; seed < options.seed + options.count; ++seed) {
    const Script script = make_script(seed);
    World world(script, seams);
    if (options.verbose && options.count == 1) {
      world.set_trace([&](std::string_view line) { output.out(line); });
    }
    const Outcome outcome = world.run();
    simulated = simulated + outcome.simulated;
    if (options.verbose || options.count == 1 || !outcome.is_well()) {
      output.out(describe(seed, outcome));
    }
    if (outcome.is_well()) continue;
    output.out("shrinking ...\n");
    output.out(shrink(script, seams, outcome).to_text());
    return cli::exit_failed;
  }
  const double took = seconds_of(clock.monotonic() - began);
  output.out(fmt::format("{} seeds are well: {:.2f} seeds/s, {:.0f} times real time\n",
                         options.count, static_cast<double>(options.count) / took,
                         seconds_of(simulated) / took));
  return cli::exit_done;
}

}  // namespace muster::simulator
