// Checkpoints: the parameters after a step, in one file per step that is either whole or not there:
// written beside, synced, renamed, read again. What save() has returned from survives a loss of
// power; the newest checkpoints_kept stay, and none goes before a newer one is known to be good.
//
//   SystemFolder folder("/ckpt");
//   save(folder, {.step = 40, .parameters = model.parameters()});
//   if (auto last = newest(folder, parameter_count)) …
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "examples/trainer/checkpoint_folder.h"

namespace muster::trainer {

inline constexpr std::size_t checkpoints_kept = 2;

struct Checkpoint {
  std::uint64_t step = 0;  // the next one to do
  std::vector<float> parameters;
};

// Throws std::runtime_error when it cannot be written, or is not what was written.
void save(CheckpointFolder& folder, const Checkpoint& checkpoint);

// The newest whole one of this size; damaged ones are passed over.
std::optional<Checkpoint> newest(CheckpointFolder& folder, std::size_t parameter_count);

}  // namespace muster::trainer
