// Datum: a value during the evaluation of a CEL expression. Sixteen bytes, no ownership: text,
// lists and maps lie in the object that is evaluated, in the program's literals or in the
// evaluation's scratch memory, all of which outlive it.
//
// Lists and maps come in two layouts: those of the object (Node) are read in place, those that
// an expression makes are arrays of Datum. An error is a Datum too, because CEL's && and ||
// absorb errors. Kind::dynamic exists only for the checker: a type that is not known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "objects/value.h"

namespace muster {
class Quantity;
}

namespace muster::objects::cel {

enum class Kind : std::uint8_t {
  dynamic,
  error,
  null,
  boolean,
  integer,
  real,
  text,
  list,
  map,
  type,
  duration,
  timestamp,
  quantity,
};

// As cel-go's checker prints it: `int`, `list(dyn)`.
std::string_view kind_name(Kind kind);

// As type(x) names it: `int`, `list`.
std::string_view type_value_name(Kind kind);

struct Entry;

struct Datum {
  Kind kind = Kind::error;
  // A list or map in the object's layout; a number or text that was read from the object.
  bool from_object = false;
  // Bytes of text, elements of a list, entries of a map; the nanoseconds of a timestamp.
  std::uint32_t size = 0;
  union {
    bool boolean;
    std::int64_t integer;  // also a duration's nanoseconds and a timestamp's seconds
    double real;
    const char* text;
    const Node* nodes;
    const Node::Member* members;
    const Datum* items;
    const Entry* entries;
    const Quantity* quantity;
    Kind type;
  };

  constexpr Datum() : text("") {}

  static Datum null();
  static Datum of(bool value);
  static Datum of(std::int64_t value);
  static Datum of(double value);
  static Datum of(std::string_view value);
  static Datum of(const Quantity* value);
  static Datum error(std::string_view message);  // the message must live long enough
  static Datum list(const Datum* items, std::size_t count);
  static Datum map(const Entry* entries, std::size_t count);
  static Datum type_value(Kind type);
  static Datum duration(std::int64_t nanoseconds);
  static Datum timestamp(std::int64_t seconds, std::uint32_t nanoseconds);
  // Reads a node of the object; an absent one is an error without words.
  static Datum read(View view);

  bool is_error() const { return kind == Kind::error; }
  bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
  bool is_text() const { return kind == Kind::text; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
  std::string_view string() const { return {text, size}; }
  double as_real() const { return kind == Kind::real ? real : static_cast<double>(integer); }

  // Of a list; the index is below size.
  Datum element(std::size_t index) const;
  // Of a map: its keys and values by position.
  Datum key_at(std::size_t index) const;
  Datum value_at(std::size_t index) const;
  // Of a map; an error without words when there is no such key.
  Datum find(const Datum& key) const;
};

struct Entry {
  Datum key;
  Datum value;
};

// CEL's ==: numbers by value across int and double, other kinds never equal each other. Takes
// its cost from `steps_left`, and answers false when none are left: lists that an expression
// makes may share their elements, and so be exponentially larger than the memory they use.
bool equal(const Datum& a, const Datum& b, std::uint64_t& steps_left);

// Whether the two kinds have an order; `compare` may be called only then. Unordered doubles
// (NaN) yield neither of the three.
bool ordered(const Datum& a, const Datum& b);
enum class Order : std::int8_t { less, equal, greater, none };
Order compare(const Datum& a, const Datum& b);

}  // namespace muster::objects::cel
