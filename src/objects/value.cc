// SPDX-License-Identifier: Apache-2.0
#include "objects/value.h"

#include <bit>
#include <cstring>
#include <vector>

#include "objects/arena.h"
#include "objects/builder.h"
#include "objects/member_index.h"
#include "objects/same_text.h"

namespace muster::objects {

constinit const Node View::absent_node{};

std::string_view type_name(Type type) {
  switch (type) {
    case Type::absent:
      return "absent";
    case Type::null:
      return "null";
    case Type::boolean:
      return "boolean";
    case Type::integer:
      return "integer";
    case Type::real:
      return "number";
    case Type::string:
      return "string";
    case Type::array:
      return "array";
    case Type::object:
      return "object";
  }
  return "unknown";
}

std::optional<double> View::real() const {
  if (is_real()) return node_->real;
  if (is_integer()) return static_cast<double>(node_->integer);
  return std::nullopt;
}

View View::operator[](std::string_view key) const {
  if (!is_object()) return View();
  const Node::Member* const member = find_member(*node_, key);
  return member == nullptr ? View() : View(&member->value);
}

Value Value::null() {
  return Value(nullptr, Builder::null());
}
Value Value::boolean(bool value) {
  return Value(nullptr, Builder::boolean(value));
}
Value Value::integer(std::int64_t value) {
  return Value(nullptr, Builder::integer(value));
}
Value Value::real(double value) {
  return Value(nullptr, Builder::real(value));
}

Value Value::string(std::string_view value) {
  Builder builder(value.size());
  const Node root = builder.text(value);
  return std::move(builder).finish(root);
}

Value Value::array(std::initializer_list<Value> elements) {
  Builder builder;
  std::vector<Node> nodes;
  nodes.reserve(elements.size());
  for (const Value& element : elements) nodes.push_back(builder.copy(element));
  const Node root = builder.array(nodes);
  return std::move(builder).finish(root);
}

Value Value::object(std::initializer_list<std::pair<std::string_view, Value>> members) {
  Builder builder;
  std::vector<Node::Member> nodes;
  nodes.reserve(members.size());
  for (const auto& [key, value] : members)
    nodes.push_back({builder.text(key), builder.copy(value)});
  const Node root = builder.object(nodes);
  return std::move(builder).finish(root);
}

namespace {

// What Builder::copy takes of an arena, to the byte.
std::size_t bytes_of(View view) {
  const Node& node = view.node();
  if (node.type == Type::string) return node.size;
  std::size_t bytes = view.elements().size() * sizeof(Node);
  for (const View element : view.elements()) bytes += bytes_of(element);
  if (node.type == Type::object) bytes += node.size * sizeof(Node::Member);
  if (node.lookup == Lookup::indexed) bytes += index_bytes(node.size);
  for (const MemberView member : view.members())
    bytes += member.key.size() + bytes_of(member.value);
  return bytes;
}

}  // namespace

Value Value::copy_of(View view) {
  const std::size_t bytes = bytes_of(view);
  if (bytes == 0) return Value(nullptr, view.node());
  Builder builder(bytes);
  const Node root = builder.copy(view);
  return std::move(builder).finish(root);
}

std::size_t Value::memory() const {
  return sizeof(Value) + (arena_ == nullptr ? 0 : arena_->memory());
}

std::size_t Value::arenas() const {
  return arena_ == nullptr ? 0 : arena_->arenas();
}

namespace {

bool is_same(const Node& a, const Node& b);

bool has_same_elements(const Node& a, const Node& b) {
  for (std::size_t i = 0; i < a.size; ++i) {
    if (!is_same(a.elements[i], b.elements[i])) return false;
  }
  return true;
}

// Members mostly stand in the same order; where they do not, they are looked up.
bool has_same_members(const Node& a, const Node& b) {
  for (std::size_t i = 0; i < a.size; ++i) {
    const Node::Member& mine = a.members[i];
    const Node::Member* other = &b.members[i];
    if (!is_same_text(text_of(mine.key), text_of(other->key))) {
      other = find_member(b, text_of(mine.key));
    }
    if (other == nullptr || !is_same(mine.value, other->value)) return false;
  }
  return true;
}

bool is_same(const Node& a, const Node& b) {
  if (a.type != b.type) return false;
  switch (a.type) {
    case Type::absent:
    case Type::null:
      return true;
    case Type::boolean:
      return a.boolean == b.boolean;
    case Type::integer:
      return a.integer == b.integer;
    case Type::real:
      return a.real == b.real;
    // What two values share (one is an edit of the other) need not be looked at.
    case Type::string:
      return a.size == b.size && (a.text == b.text || is_same_text(text_of(a), text_of(b)));
    case Type::array:
      return a.size == b.size && (a.elements == b.elements || has_same_elements(a, b));
    case Type::object:
      return a.size == b.size && (a.members == b.members || has_same_members(a, b));
  }
  return false;
}

}  // namespace

bool operator==(View a, View b) {
  return is_same(a.node(), b.node());
}

namespace {

// Both halves of the product of two 64-bit words, folded together: every bit of the input reaches
// every bit of the result.
std::uint64_t mix(std::uint64_t seed, std::uint64_t word) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(seed ^ 0x9E3779B97F4A7C15ULL) *
                       static_cast<Wide>(word ^ 0xD1B54A32D192ED03ULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t word_at(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

std::uint64_t half_at(const char* from) {
  std::uint32_t half = 0;
  std::memcpy(&half, from, sizeof(half));
  return half;
}

std::uint64_t hash_text(std::uint64_t seed, std::string_view text) {
  std::uint64_t result = mix(seed, text.size());
  const char* from = text.data();
  const char* const end = from + text.size();
  if (text.size() >= 8) {
    for (; end - from > 8; from += 8) result = mix(result, word_at(from));
    return mix(result, word_at(end - 8));
  }
  // Fewer than a word: two halves that may overlap, or the bytes one after the other.
  std::uint64_t word = 0;
  if (text.size() >= 4) {
    word = half_at(from) << 32 | half_at(end - 4);
  } else {
    for (; from < end; ++from) word = word << 8 | static_cast<unsigned char>(*from);
  }
  return mix(result, word);
}

}  // namespace

std::uint64_t hash(View view) {
  const auto seed = (static_cast<std::uint64_t>(view.type()) + 1) * 0xBF58476D1CE4E5B9ULL;
  switch (view.type()) {
    case Type::absent:
    case Type::null:
      return mix(seed, 0);
    case Type::boolean:
      return mix(seed, view.node().boolean ? 1 : 2);
    case Type::integer:
      return mix(mix(seed, static_cast<std::uint64_t>(view.node().integer)), seed);
    case Type::real: {
      const double value = view.node().real;
      // Zero has two signs that are equal.
      return mix(mix(seed, value == 0.0 ? 0 : std::bit_cast<std::uint64_t>(value)), seed);
    }
    case Type::string:
      return hash_text(seed, text_of(view.node()));
    case Type::array: {
      std::uint64_t result = mix(seed, view.size());
      for (const View element : view.elements()) result = mix(result, hash(element));
      return result;
    }
    case Type::object: {
      // A sum of mixed members, because their order does not count.
      std::uint64_t sum = 0;
      for (const MemberView member : view.members()) {
        sum += mix(hash_text(seed, member.key), hash(member.value));
      }
      return mix(mix(seed, view.size()), sum);
    }
  }
  return 0;
}

}  // namespace muster::objects
