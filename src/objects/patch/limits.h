// The maxima of patches. Beyond each there is a typed refusal (too_large), never growth.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "objects/limits.h"

namespace muster::objects {

// Operations in one JSON patch, as kube-apiserver limits them.
inline constexpr std::size_t json_patch_operations_max = 10'000;

// Bytes of JSON that all copy operations of one JSON patch may add together, as kube-apiserver
// limits them: a copy of a copy of a copy doubles each time.
inline constexpr std::size_t json_patch_copy_bytes_max = std::size_t{3} * 1024 * 1024;

// Array elements that the insertions and removals of one JSON patch may shift together. Ten
// thousand operations at the front of a list of ten thousand reach it; more is an attack.
inline constexpr std::size_t json_patch_shifts_max = 100'000'000;

struct PatchLimits {
  std::size_t operations_max = json_patch_operations_max;
  std::size_t copy_bytes_max = json_patch_copy_bytes_max;
  std::size_t shifts_max = json_patch_shifts_max;
  std::size_t result_bytes_max = document_bytes_max;  // of the patched document, as JSON text
  std::size_t depth_max = objects::depth_max;
};

}  // namespace muster::objects
