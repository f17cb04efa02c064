// SPDX-License-Identifier: Apache-2.0
#include "core/model/fetch_object.h"

#include <algorithm>
#include <cstddef>

#include "core/model/expect_memory.h"

namespace muster::core {

using objects::Node;
using objects::Type;
using objects::View;

namespace {

constexpr std::size_t fetched_bytes_max = 384;  // of one list

void fetch(const void* first, std::size_t bytes) {
  expect_memory(first, std::min(bytes, fetched_bytes_max));
}

// What lies behind the node.
void fetch_behind(const Node& node) {
  switch (node.type) {
    case Type::object:
      return fetch(node.members, node.size * sizeof(Node::Member));
    case Type::array:
      return fetch(node.elements, node.size * sizeof(Node));
    case Type::string:
      return expect_line(node.text);  // may be null where it is empty
    default:
      return;
  }
}

// And the names by which they are found: each object has its own.
void fetch_members(View object) {
  for (const auto& [key, member] : object.members()) {
    expect_line(key.data());
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

}  // namespace muster::core
