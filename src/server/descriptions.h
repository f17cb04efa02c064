// Sentences that `kubectl explain` prints about kinds, types and fields of ours that have none in
// their definition: `core.v1.Pod`, `core.v1.PodSpec`, `core.v1.PodSpec.containers`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace muster::server {

// Empty where there is none. A field that means the same in every kind is found by its own name.
std::string_view description_of(std::string_view type);
std::string_view description_of(std::string_view type, std::string_view field);

}  // namespace muster::server
