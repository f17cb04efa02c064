// How Kueue v0.19 splits the domains of a topology assignment into slices: runs of neighbours whose
// host names share a prefix that ends in '-' and occurs more than once.
//
//   runs_by_hostname_prefix({"a-0", "a-1", "b-0", "b-1"}) == {2, 4}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "objects/value.h"

namespace muster::objects {

// The limits that the schema of v1beta2 has for one slice and for one assignment.
inline constexpr std::size_t slice_domains_max = 100'000;
inline constexpr std::size_t slices_max = 1'000;

// Where each run ends; the last is the number of host names. Prefixes are as long as they can be
// without making more than slices_max slices; where no length fits, everything is one run.
std::vector<std::size_t> runs_by_hostname_prefix(std::span<const std::string_view> hostnames);

// Bytes that Go's encoding/json would write for the value. Kueue keeps the shorter of two packings.
std::size_t json_size_in_go(View view);

}  // namespace muster::objects
