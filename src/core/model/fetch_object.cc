// SPDX-License-Identifier: Apache-2.0
#include "core/model/fetch_object.h"

#include <cstddef>

namespace muster::core {

using objects::Node;
using objects::Type;
using objects::View;

namespace {

constexpr std::size_t cache_line_bytes = 64;
constexpr std::size_t fetched_bytes_max = 6 * cache_line_bytes;  // of one list

void fetch(const void* first, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(first);
  for (std::size_t at = 0; at < bytes && at < fetched_bytes_max; at += cache_line_bytes) {
    __builtin_prefetch(begin + at);
  }
  if (bytes > 0 && bytes < fetched_bytes_max) __builtin_prefetch(begin + bytes - 1);
}

// What lies behind the node.
void fetch_behind(const Node& node) {
  switch (node.type) {
    case Type::object:
      return fetch(node.members, node.size * sizeof(Node::Member));
    case Type::array:
      return fetch(node.elements, node.size * sizeof(Node));
    case Type::string:
      return __builtin_prefetch(node.text);  // may be null where it is empty
    default:
      return;
  }
}

// And the names by which they are found: each object has its own.
void fetch_members(View object) {
  for (const auto& [key, member] : object.members()) {
    __builtin_prefetch(key.data());
    fetch_behind(member.node());
  }
}

// The lists below a part: conditions, pod sets, the assignments of an admission.
template <class Visit>
void visit_entries(View part, Visit&& visit) {
  for (const auto& [key, member] : part.members()) {
    for (const View entry : member.elements()) visit(entry);
    for (const auto& [name, inner] : member.members()) {
      for (const View entry : inner.elements()) visit(entry);
    }
  }
}

}  // namespace

void fetch_root(const objects::Value& object) {
  object.expect();
  fetch_behind(object.view().node());
}

void fetch_parts(View object) {
  fetch_members(object);
}

void fetch_lists(View object) {
  for (const auto& [key, part] : object.members()) fetch_members(part);
}

void fetch_entries(View object) {
  for (const auto& [key, part] : object.members()) {
    visit_entries(part, [](View entry) { fetch_behind(entry.node()); });
    for (const auto& [name, member] : part.members()) {
      if (member.is_object()) fetch_members(member);
    }
  }
}

void fetch_texts(View object) {
  for (const auto& [key, part] : object.members()) {
    visit_entries(part, [](View entry) { fetch_members(entry); });
  }
}

}  // namespace muster::core
