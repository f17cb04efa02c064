// SPDX-License-Identifier: Apache-2.0
#include "objects/builder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/check.h"
#include "objects/arena.h"
#include "objects/limits.h"
#include "objects/member_index.h"

namespace muster::objects {

namespace {

// What most small edits and status objects need.
constexpr std::size_t bytes_expected_default = 512;

std::uint32_t size_of(std::size_t count) {
  CHECK(count <= std::numeric_limits<std::uint32_t>::max());
  return static_cast<std::uint32_t>(count);
}

}  // namespace

Builder::Builder() : Builder(bytes_expected_default) {}
Builder::Builder(std::size_t bytes_expected) : arena_(std::make_shared<Arena>(bytes_expected)) {}
Builder::~Builder() = default;
Builder::Builder(Builder&&) noexcept = default;
Builder& Builder::operator=(Builder&&) noexcept = default;

Node Builder::null() {
  Node node;
  node.type = Type::null;
  return node;
}

Node Builder::boolean(bool value) {
  Node node;
  node.type = Type::boolean;
  node.boolean = value;
  return node;
}

Node Builder::integer(std::int64_t value) {
  Node node;
  node.type = Type::integer;
  node.integer = value;
  return node;
}

Node Builder::real(double value) {
  CHECK(std::isfinite(value));
  Node node;
  node.type = Type::real;
  node.real = value;
  return node;
}

Node Builder::literal(std::string_view value) {
  return text_of({value.data(), value.size()});
}

Node Builder::text(std::string_view value) {
  const std::span<char> room = text_room(value.size());
  if (!value.empty()) std::memcpy(room.data(), value.data(), value.size());
  return text_of(room);
}

Node Builder::array(std::span<const Node> elements) {
  const std::span<Node> room = element_room(elements.size());
  std::copy(elements.begin(), elements.end(), room.begin());
  return array_of(room);
}

Node Builder::object(std::span<const Node::Member> members) {
  const std::span<Node::Member> room = arranged_room(members.size());
  std::copy(members.begin(), members.end(), room.begin());
  return arranged(room);
}

Node Builder::object_of_pairs(std::span<const Node> keys_and_values) {
  // A member is a key and a value, one behind the other, as they are here.
  static_assert(sizeof(Node::Member) == 2 * sizeof(Node));
  const std::span<Node::Member> room = arranged_room(keys_and_values.size() / 2);
  auto* to = reinterpret_cast<Node*>(room.data());
  for (const Node& node : keys_and_values) *to++ = node;
  return arranged(room);
}

Node Builder::object_replacing(const Node& object, std::size_t member, const Node& value) {
  const bool indexed = object.lookup == Lookup::indexed;
  const std::size_t bytes = object.size * sizeof(Node::Member);
  const std::size_t index = indexed ? index_bytes(object.size) : 0;
  auto* const room = static_cast<Node::Member*>(arena_->allocate(bytes + index));
  std::memcpy(static_cast<void*>(room), object.members, bytes + index);
  room[member].value = value;
  Node node = object;
  node.members = room;
  return node;
}

std::span<char> Builder::text_room(std::size_t size) {
  return {arena_->allocate_text(size), size};
}

std::span<Node> Builder::element_room(std::size_t count) {
  return {static_cast<Node*>(arena_->allocate(count * sizeof(Node))), count};
}

std::span<Node::Member> Builder::member_room(std::size_t count) {
  return {static_cast<Node::Member*>(arena_->allocate(count * sizeof(Node::Member))), count};
}

// Members, and behind them an index where there are many.
std::span<Node::Member> Builder::arranged_room(std::size_t count) {
  const std::size_t index = count > members_scanned_max ? index_bytes(count) : 0;
  void* const room = arena_->allocate(count * sizeof(Node::Member) + index);
  return {static_cast<Node::Member*>(room), count};
}

Node Builder::arranged(std::span<Node::Member> room) {
  Node node = object_of(room);
  if (room.size() <= members_scanned_max) return node;
  if (keys_rise(room)) {
    arena_->give_back(index_bytes(room.size()));
    node.lookup = Lookup::sorted;
    return node;
  }
  void* const behind = room.data() + room.size();
  write_index(room, {static_cast<std::uint32_t*>(behind), room.size()});
  node.lookup = Lookup::indexed;
  return node;
}

Node Builder::text_of(std::span<const char> room) {
  Node node;
  node.type = Type::string;
  node.size = size_of(room.size());
  node.text = room.data();
  return node;
}

Node Builder::array_of(std::span<const Node> room) {
  Node node;
  node.type = Type::array;
  node.size = size_of(room.size());
  node.elements = room.data();
  return node;
}

Node Builder::object_of(std::span<const Node::Member> room) {
  Node node;
  node.type = Type::object;
  node.size = size_of(room.size());
  node.members = room.data();
  return node;
}

Node Builder::embed(const Value& value) {
  retain(value);
  return value.root_;
}

void Builder::retain(const Value& value) {
  arena_->retain(value.arena_);
}

Node Builder::copy(View view) {
  Node node;
  copy_into(view.node(), node);
  return node;
}

// The copy is made where it stays: only the pointer of the original changes.
void Builder::copy_into(const Node& from, Node& to) {
  to = from;
  if (from.type == Type::string) {
    char* const room = arena_->allocate_text(from.size);
    if (from.size > 0) std::memcpy(room, from.text, from.size);
    to.text = room;
  } else if (from.type == Type::array) {
    const std::span<Node> room = element_room(from.size);
    for (std::size_t i = 0; i < from.size; ++i) copy_into(from.elements[i], room[i]);
    to.elements = room.data();
  } else if (from.type == Type::object) {
    const std::size_t index = from.lookup == Lookup::indexed ? index_bytes(from.size) : 0;
    const std::size_t bytes = from.size * sizeof(Node::Member) + index;
    auto* const room = static_cast<Node::Member*>(arena_->allocate(bytes));
    for (std::size_t i = 0; i < from.size; ++i) {
      copy_into(from.members[i].key, room[i].key);
      copy_into(from.members[i].value, room[i].value);
    }
    if (index > 0)
      std::memcpy(static_cast<void*>(room + from.size), from.members + from.size, index);
    to.members = room;
  }
}

Value Builder::finish(Node root) && {
  arena_->settle();
  Value value(std::move(arena_), root);
  if (value.arenas() <= arenas_retained_max) return value;
  return Value::copy_of(value.view());
}

}  // namespace muster::objects
