// Names that nobody chose: uids (RFC 4122, version 4, lower case) and what Kubernetes appends to
// metadata.generateName: five characters without vowels and without digits that look like
// letters, so that no word appears by accident.
//
//   make_uid(random)                      "0b8e2a52-6d4c-4f0e-9a59-3f3e0d1c7b61"
//   generate_name("train-", random)       "train-x7k2m"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/random.h"

namespace muster {

inline constexpr std::size_t uid_length = 36;
inline constexpr std::size_t name_suffix_length = 5;

// A generated name fits a DNS label: a longer base is cut so that the suffix still finds room.
inline constexpr std::size_t generated_name_length_max = 63;

std::string make_uid(Random& random);
std::string name_suffix(Random& random);
std::string generate_name(std::string_view base, Random& random);

}  // namespace muster
