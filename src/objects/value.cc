// SPDX-License-Identifier: Apache-2.0
#include "objects/value.h"

#include <bit>
#include <vector>

#include "objects/arena.h"
#include "objects/builder.h"

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

std::optional<bool> View::boolean() const {
  if (!is_boolean()) return std::nullopt;
  return node_->boolean;
}

std::optional<std::int64_t> View::integer() const {
  if (!is_integer()) return std::nullopt;
  return node_->integer;
}

std::optional<double> View::real() const {
  if (is_real()) return node_->real;
  if (is_integer()) return static_cast<double>(node_->integer);
  return std::nullopt;
}

std::optional<std::string_view> View::string() const {
  if (!is_string()) return std::nullopt;
  return std::string_view(node_->text, node_->size);
}

std::size_t View::size() const {
  return is_array() || is_object() ? node_->size : 0;
}

View View::operator[](std::string_view key) const {
  for (const MemberView member : members()) {
    if (member.key == key) return member.value;
  }
  return View();
}

View View::operator[](std::size_t index) const {
  if (!is_array() || index >= node_->size) return View();
  return View(&node_->elements[index]);
}

View::Elements View::elements() const {
  return is_array() ? Elements(node_->elements, node_->size) : Elements(nullptr, 0);
}

View::Members View::members() const {
  return is_object() ? Members(node_->members, node_->size) : Members(nullptr, 0);
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

Value Value::copy_of(View view) {
  Builder builder;
  const Node root = builder.copy(view);
  return std::move(builder).finish(root);
}

std::size_t Value::memory() const {
  return sizeof(Value) + (arena_ == nullptr ? 0 : arena_->memory());
}

bool operator==(View a, View b) {
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Type::absent:
    case Type::null:
      return true;
    case Type::boolean:
      return a.node().boolean == b.node().boolean;
    case Type::integer:
      return a.node().integer == b.node().integer;
    case Type::real:
      return a.node().real == b.node().real;
    case Type::string:
      return *a.string() == *b.string();
    case Type::array: {
      if (a.size() != b.size()) return false;
      if (a.node().elements == b.node().elements) return true;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (!(a[i] == b[i])) return false;
      }
      return true;
    }
    case Type::object: {
      if (a.size() != b.size()) return false;
      if (a.node().members == b.node().members) return true;
      for (const MemberView member : a.members()) {
        if (!(member.value == b[member.key])) return false;
      }
      return true;
    }
  }
  return false;
}

namespace {

std::uint64_t mix(std::uint64_t seed, std::uint64_t word) {
  std::uint64_t x = (seed ^ word) * 0x9E3779B97F4A7C15ULL;
  return x ^ (x >> 32);
}

}  // namespace

std::uint64_t hash(View view) {
  const auto seed = static_cast<std::uint64_t>(view.type()) + 1;
  switch (view.type()) {
    case Type::absent:
    case Type::null:
      return mix(seed, 0);
    case Type::boolean:
      return mix(seed, view.node().boolean ? 1 : 2);
    case Type::integer:
      return mix(seed, static_cast<std::uint64_t>(view.node().integer));
    case Type::real: {
      const double value = view.node().real;
      return mix(seed, value == 0.0 ? 0 : std::bit_cast<std::uint64_t>(value));
    }
    case Type::string:
      return mix(seed, std::hash<std::string_view>{}(*view.string()));
    case Type::array: {
      std::uint64_t result = mix(seed, view.size());
      for (const View element : view.elements()) result = mix(result, hash(element));
      return result;
    }
    case Type::object: {
      // A sum, because the order of members does not count.
      std::uint64_t result = mix(seed, view.size());
      for (const MemberView member : view.members()) {
        result += mix(std::hash<std::string_view>{}(member.key), hash(member.value));
      }
      return result;
    }
  }
  return 0;
}

}  // namespace muster::objects
