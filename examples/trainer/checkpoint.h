// Checkpoints: the parameters after a step, in one file per step that is either whole or not there:
// written beside, synced, renamed; read back only when its checksum agrees.
//
//   save("/ckpt", {.step = 40, .parameters = model.parameters()});
//   if (auto last = newest("/ckpt", parameter_count)) …
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::trainer {

struct Checkpoint {
  std::uint64_t step = 0;  // the next one to do
  std::vector<float> parameters;
};

// Throws std::runtime_error when the folder cannot be written.
void save(const std::string& folder, const Checkpoint& checkpoint);

// The newest whole one of this size; damaged ones are passed over.
std::optional<Checkpoint> newest(const std::string& folder, std::size_t parameter_count);

}  // namespace muster::trainer
