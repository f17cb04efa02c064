// The trainer of the demo: a small program that behaves as real training jobs do, and can be told
// to fail as they do.
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <exception>
#include <span>

#include "examples/trainer/train.h"

namespace {

// Written by the signal's handler, read between steps.
volatile std::sig_atomic_t terminated = 0;

}  // namespace

int main(int argc, char** argv) {
  using namespace muster::trainer;
  const auto options = read_options(std::span(argv, static_cast<std::size_t>(argc)));
  if (!options) return exit_usage;
  std::signal(SIGTERM, [](int) { terminated = 1; });
  try {
    return train(*options, terminated).exit_code;
  } catch (const RingBroken& broken) {
    std::printf("rank %d: %s\n", options->ring.rank, broken.what());
    return exit_ring_broken;
  } catch (const std::exception& error) {
    std::printf("rank %d: %s\n", options->ring.rank, error.what());
    return 1;
  }
}
