// How a member is found by its key. Small objects are scanned. Large ones are searched by halves:
// in the members themselves where their keys rise, otherwise through an index, which lies in the
// arena directly behind the members: their numbers, 32 bits each, in the order of their keys.
// A ConfigMap with 10,000 keys is then no slower to use than a label set.
//
//   if (const Node::Member* member = find_member(node, "spec")) …
//
// Internal to this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "objects/arena.h"
#include "objects/value.h"

namespace muster::objects {

// From this size on an object is searched by halves. Below it a scan is as fast.
inline constexpr std::size_t members_scanned_max = 31;

inline std::string_view text_of(const Node& node) {
  return {node.text, node.size};
}

// The member with this key, or null. The node is an object.
const Node::Member* find_member(const Node& object, std::string_view key);

// The room of an index for so many members.
constexpr std::size_t index_bytes(std::size_t count) {
  return Arena::round_up(count * sizeof(std::uint32_t));
}

// The index of an object with Lookup::indexed.
std::span<const std::uint32_t> index_of(const Node& object);

// Whether every key is greater than the one before it.
bool keys_rise(std::span<const Node::Member> members);

// Fills the index: as many numbers as there are members.
void write_index(std::span<const Node::Member> members, std::span<std::uint32_t> index);

}  // namespace muster::objects
