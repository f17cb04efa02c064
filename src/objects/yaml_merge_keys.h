// Merge keys of YAML 1.1: `<<: *base` puts the members of another mapping, or of each of a list of
// mappings, in its place. What stands later in the text wins, as it does in kubectl's reader; of a
// list the mapping that stands first.
//
//   for (const YamlMember& member : TRY(merge_members(members))) …
//
// Internal to this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "objects/value.h"

namespace muster::objects {

struct YamlMember {
  Node key;
  Node value;
  std::span<const std::uint32_t> lines;  // of every value in it, in the order of the text
  bool is_merge = false;                 // its value stands for members
};

// Keys that the text itself has twice in the mapping stay twice.
Result<std::vector<YamlMember>> merge_members(std::span<const YamlMember> members);

}  // namespace muster::objects
