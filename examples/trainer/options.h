// What the trainer is told: flags first, then the environment that job controllers give (Indexed
// Jobs: JOB_COMPLETION_INDEX; torch-style: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT).
//
//   muster-trainer --steps 200 --checkpoints /ckpt --fail-at 50 --fail-rank 1 --fail-code 42
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "examples/trainer/ring.h"

namespace muster::trainer {

struct Options {
  RingOptions ring;
  std::int64_t steps = 60;
  std::size_t batch = 32;  // of each rank
  float learning_rate = 0.5F;
  std::uint64_t seed = 812;
  std::int64_t report_every = 20;
  std::int64_t pause_milliseconds = 0;  // per step, to make a run last

  std::string checkpoints;  // a folder; empty: none
  std::int64_t checkpoint_every = 20;

  std::int64_t fail_at = -1;  // the step at which fail_rank leaves with fail_code
  int fail_rank = 0;
  int fail_code = 1;
  std::int64_t hang_at = -1;  // the step at which fail_rank stops answering
  bool ignore_termination = false;
};

inline constexpr int exit_success = 0;
inline constexpr int exit_ring_broken = 3;
inline constexpr int exit_usage = 64;
inline constexpr int exit_terminated = 143;

// Nothing, with a sentence on standard error, when the arguments make no sense.
std::optional<Options> read_options(std::span<char*> arguments);

}  // namespace muster::trainer
