// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/datum.h"

#include <algorithm>
#include <compare>
#include <limits>

#include "base/quantity.h"
#include "objects/same_text.h"

namespace muster::objects::cel {

namespace {

Datum made(Kind kind, std::size_t size = 0) {
  Datum datum;
  datum.kind = kind;
  datum.size = static_cast<std::uint32_t>(size);
  return datum;
}

Order order_of(std::partial_ordering ordering) {
  if (ordering < 0) return Order::less;
  if (ordering > 0) return Order::greater;
  return ordering == 0 ? Order::equal : Order::none;
}

// As cel-go does it: within the range of int64 the integer is rounded to a double.
Order compare_mixed(std::int64_t integer, double real) {
  constexpr double beyond = 9223372036854775808.0;  // 2^63
  if (real > beyond) return Order::less;
  if (real < -beyond) return Order::greater;
  return order_of(static_cast<double>(integer) <=> real);
}

Order reversed(Order order) {
  if (order == Order::less) return Order::greater;
  return order == Order::greater ? Order::less : order;
}

bool equal_maps(const Datum& a, const Datum& b, std::uint64_t& steps_left) {
  if (a.size != b.size) return false;
  for (std::size_t i = 0; i < a.size; ++i) {
    const Datum other = b.find(a.key_at(i));
    if (other.is_error() || !equal(a.value_at(i), other, steps_left)) return false;
  }
  return true;
}

bool equal_lists(const Datum& a, const Datum& b, std::uint64_t& steps_left) {
  if (a.size != b.size) return false;
  for (std::size_t i = 0; i < a.size; ++i) {
    if (!equal(a.element(i), b.element(i), steps_left)) return false;
  }
  return true;
}

}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::dynamic:
      return "dyn";
    case Kind::error:
      return "error";
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return "int";
    case Kind::real:
      return "double";
    case Kind::text:
      return "string";
    case Kind::list:
      return "list(dyn)";
    case Kind::map:
      return "map(dyn, dyn)";
    case Kind::type:
      return "type(dyn)";
    case Kind::duration:
      return "duration";
    case Kind::timestamp:
      return "timestamp";
    case Kind::quantity:
      return "kubernetes.Quantity";
  }
  return "unknown";
}

std::string_view type_value_name(Kind kind) {
  if (kind == Kind::list) return "list";
  if (kind == Kind::map) return "map";
  if (kind == Kind::null) return "null_type";
  if (kind == Kind::type) return "type";
  if (kind == Kind::duration) return "google.protobuf.Duration";
  if (kind == Kind::timestamp) return "google.protobuf.Timestamp";
  return kind_name(kind);
}

Datum Datum::null() {
  return made(Kind::null);
}

Datum Datum::of(bool value) {
  Datum datum = made(Kind::boolean);
  datum.boolean = value;
  return datum;
}

Datum Datum::of(std::int64_t value) {
  Datum datum = made(Kind::integer);
  datum.integer = value;
  return datum;
}

Datum Datum::of(double value) {
  Datum datum = made(Kind::real);
  datum.real = value;
  return datum;
}

Datum Datum::of(std::string_view value) {
  Datum datum = made(Kind::text, value.size());
  datum.text = value.data();
  return datum;
}

Datum Datum::error(std::string_view message) {
  Datum datum = of(message);
  datum.kind = Kind::error;
  return datum;
}

Datum Datum::list(const Datum* items, std::size_t count) {
  Datum datum = made(Kind::list, count);
  datum.items = items;
  return datum;
}

Datum Datum::map(const Entry* entries, std::size_t count) {
  Datum datum = made(Kind::map, count);
  datum.entries = entries;
  return datum;
}

Datum Datum::of(const Quantity* value) {
  Datum datum = made(Kind::quantity);
  datum.quantity = value;
  return datum;
}

Datum Datum::duration(std::int64_t nanoseconds) {
  Datum datum = made(Kind::duration);
  datum.integer = nanoseconds;
  return datum;
}

Datum Datum::timestamp(std::int64_t seconds, std::uint32_t nanoseconds) {
  Datum datum = made(Kind::timestamp, nanoseconds);
  datum.integer = seconds;
  return datum;
}

Datum Datum::type_value(Kind type) {
  Datum datum = made(Kind::type);
  datum.type = type;
  return datum;
}

Datum Datum::read(View view) {
  const Node& node = view.node();
  Datum datum;
  switch (node.type) {
    case Type::absent:
      return datum;
    case Type::null:
      return null();
    case Type::boolean:
      return of(node.boolean);
    case Type::integer:
      datum = of(node.integer);
      break;
    case Type::real:
      datum = of(node.real);
      break;
    case Type::string:
      datum = of(std::string_view(node.text, node.size));
      break;
    case Type::array:
      datum = made(Kind::list, node.size);
      datum.nodes = node.elements;
      break;
    case Type::object:
      datum = made(Kind::map, node.size);
      datum.members = node.members;
      break;
  }
  datum.from_object = true;
  return datum;
}

Datum Datum::element(std::size_t index) const {
  return from_object ? read(View(&nodes[index])) : items[index];
}

Datum Datum::key_at(std::size_t index) const {
  return from_object ? read(View(&members[index].key)) : entries[index].key;
}

Datum Datum::value_at(std::size_t index) const {
  return from_object ? read(View(&members[index].value)) : entries[index].value;
}

Datum Datum::find(const Datum& key) const {
  if (from_object) {
    if (!key.is_text()) return Datum();
    for (std::size_t i = 0; i < size; ++i) {
      const Node& name = members[i].key;
      if (is_same_text({name.text, name.size}, key.string())) return value_at(i);
    }
    return Datum();
  }
  // Keys are scalars; a text as key was paid for when it was made.
  std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < size; ++i) {
    if (equal(entries[i].key, key, unlimited)) return entries[i].value;
  }
  return Datum();
}

bool equal(const Datum& a, const Datum& b, std::uint64_t& steps_left) {
  if (steps_left == 0) return false;
  --steps_left;
  if (a.is_number() && b.is_number()) return compare(a, b) == Order::equal;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::null:
      return true;
    case Kind::type:
      return a.type == b.type;
    case Kind::text:
      if (a.size != b.size) return false;
      steps_left -= std::min<std::uint64_t>(steps_left, a.size / 10);
      return a.string() == b.string();
    case Kind::list:
      return equal_lists(a, b, steps_left);
    case Kind::map:
      return equal_maps(a, b, steps_left);
    case Kind::boolean:
    case Kind::duration:
    case Kind::timestamp:
      return compare(a, b) == Order::equal;
    case Kind::quantity:
      return *a.quantity == *b.quantity;
    case Kind::dynamic:
    case Kind::error:
    case Kind::integer:
    case Kind::real:
      return false;
  }
  return false;
}

bool ordered(const Datum& a, const Datum& b) {
  if (a.is_number() && b.is_number()) return true;
  if (a.kind != b.kind) return false;
  return a.kind == Kind::boolean || a.kind == Kind::text || a.kind == Kind::duration ||
         a.kind == Kind::timestamp;
}

Order compare(const Datum& a, const Datum& b) {
  if (a.kind == Kind::integer && b.kind == Kind::real) return compare_mixed(a.integer, b.real);
  if (a.kind == Kind::real && b.kind == Kind::integer) {
    return reversed(compare_mixed(b.integer, a.real));
  }
  if (a.kind == Kind::real) return order_of(a.real <=> b.real);
  if (a.kind == Kind::text) return order_of(a.string() <=> b.string());
  if (a.kind == Kind::boolean) return order_of(a.boolean <=> b.boolean);
  if (a.kind == Kind::timestamp && a.integer == b.integer) return order_of(a.size <=> b.size);
  return order_of(a.integer <=> b.integer);
}

}  // namespace muster::objects::cel
