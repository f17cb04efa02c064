// PathElement: one step of a path in a field set. A member of an object by its name, an element of
// a list by its keys or by its value, an element by its position.
//
//   f:spec   k:{"containerPort":80,"protocol":"TCP"}   v:"a.b/finalizer"   i:0      as FieldsV1
//   .spec    [containerPort=80,protocol="TCP"]         [="a.b/finalizer"]  [0]      for people
//
// Assumes: the text of keys and values is compact JSON with sorted keys, so that the same place
// has the same text. The order is that of kube-apiserver: numbers by their amount.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::objects {

struct PathElement {
  enum class Kind : std::uint8_t { field, key, value, index };

  Kind kind = Kind::field;
  std::string text;  // the name; JSON of the keys or of the value; the position

  static PathElement field(std::string_view name) { return {Kind::field, std::string(name)}; }

  // `f:spec`; fails with bad_request for what is none.
  static Result<PathElement> parse(std::string_view serialized);

  // `f:spec`
  void append_serialized(std::string& out) const;

  // `f:spec`, as a JSON string with its quotes.
  void append_json(std::string& out) const;

  // `.spec`, `[name="c"]`
  void append_for_people(std::string& out) const;

  friend bool operator==(const PathElement&, const PathElement&) = default;
  friend std::strong_ordering operator<=>(const PathElement& a, const PathElement& b);
};

// A string in quotes, escaped as JSON asks.
void append_quoted(std::string_view text, std::string& out);

}  // namespace muster::objects
