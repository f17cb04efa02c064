// SPDX-License-Identifier: Apache-2.0
#include "objects/member_index.h"

#include <algorithm>
#include <numeric>

#include "objects/same_text.h"

namespace muster::objects {

namespace {

const Node::Member* scan(std::span<const Node::Member> members, std::string_view key) {
  for (const Node::Member& member : members) {
    if (is_same_text(text_of(member.key), key)) return &member;
  }
  return nullptr;
}

const Node::Member* search(std::span<const Node::Member> members, std::string_view key) {
  const auto found = std::lower_bound(members.begin(), members.end(), key,
                                      [](const Node::Member& member, std::string_view wanted) {
                                        return text_of(member.key) < wanted;
                                      });
  return found != members.end() && text_of(found->key) == key ? &*found : nullptr;
}

const Node::Member* search(const Node& object, std::span<const std::uint32_t> index,
                           std::string_view key) {
  const auto found = std::lower_bound(index.begin(), index.end(), key,
                                      [&](std::uint32_t member, std::string_view wanted) {
                                        return text_of(object.members[member].key) < wanted;
                                      });
  if (found == index.end()) return nullptr;
  const Node::Member& member = object.members[*found];
  return text_of(member.key) == key ? &member : nullptr;
}

}  // namespace

const Node::Member* find_member(const Node& object, std::string_view key) {
  const std::span members(object.members, object.size);
  if (object.lookup == Lookup::scan) return scan(members, key);
  if (object.lookup == Lookup::sorted) return search(members, key);
  return search(object, index_of(object), key);
}

std::span<const std::uint32_t> index_of(const Node& object) {
  const void* const behind = object.members + object.size;
  return {static_cast<const std::uint32_t*>(behind), object.size};
}

bool keys_rise(std::span<const Node::Member> members) {
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (!(text_of(members[i - 1].key) < text_of(members[i].key))) return false;
  }
  return true;
}

void write_index(std::span<const Node::Member> members, std::span<std::uint32_t> index) {
  std::iota(index.begin(), index.end(), std::uint32_t{0});
  std::sort(index.begin(), index.end(), [&](std::uint32_t a, std::uint32_t b) {
    return text_of(members[a].key) < text_of(members[b].key);
  });
}

}  // namespace muster::objects
