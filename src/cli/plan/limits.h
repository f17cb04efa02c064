// The maxima of the commands. Beyond each there is a typed refusal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::cli {

// All files of one question to `muster plan` together, and the depth of nested folders.
inline constexpr std::size_t plan_input_bytes_max = std::size_t{512} * 1024 * 1024;
inline constexpr std::size_t plan_folder_depth_max = 64;

// Cycles of one question; with --until-idle the document says when the bound was hit.
inline constexpr std::int64_t plan_cycles_max = 100'000;
inline constexpr std::int64_t plan_idle_cycles_max = 200;

// Errors that are printed of one question; the rest is counted.
inline constexpr std::size_t plan_errors_max = 50;

}  // namespace muster::cli
