// The maxima of this folder. Beyond each there is a typed refusal, never growth.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace muster::objects {

// One JSON or YAML document, as kube-apiserver limits a request body.
inline constexpr std::size_t document_bytes_max = std::size_t{3} * 1024 * 1024;

// Nesting of arrays and objects. Recursion over a Value is bounded by it.
inline constexpr std::size_t depth_max = 256;

// Arenas that an edited value may keep alive before it is copied into one of its own.
inline constexpr std::size_t arenas_retained_max = 8;

}  // namespace muster::objects
