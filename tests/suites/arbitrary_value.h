// RapidCheck generators of JSON values: every type, nested a few levels deep, with the strings
// and numbers that break writers. Values shrink to small ones. Only property tests include this;
// it is the one place that makes a Value arbitrary.
//
//   RC_GTEST_PROP(Json, comes_back, (const Value& value)) { … }        // any value
//   const Value object = *arbitrary_object();                         // an object at the root
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "objects/builder.h"
#include "objects/json.h"
#include "objects/value.h"

namespace muster::objects {

// Valid UTF-8 of any kind: plain words, what other formats take for a number or a boolean,
// control characters, spaces and line breaks in awkward places.
inline rc::Gen<std::string> arbitrary_text() {
  const auto word = rc::gen::container<std::string>(rc::gen::inRange('a', 'z'));
  const auto awkward = rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("ab01 \n\t\r\"'\\:#-,[]{}&*!|>%@`~?=<.\x01\x1b\x7f")));
  const auto special = rc::gen::elementOf(std::vector<std::string>{
      "",
      "yes",
      "No",
      "on",
      "y",
      "null",
      "~",
      "true",
      "0644",
      "0o14",
      "1_000",
      "1e3",
      ".5",
      "-.inf",
      "2001-01-01",
      "2001-12-14t21:59:43.10-05:00",
      "1:30",
      "<<",
      "=",
      "-",
      "- a",
      "a: b",
      "a #b",
      "a\nb\n",
      "\na",
      "a\n\n",
      " a",
      "a ",
      " a\nb",
      "a \nb",
      "\t",
      "---",
      "...",
      "&a",
      "*a",
      "!a",
      "\xC3\xA9",
      "\xE2\x80\xA8",
      "\xC2\x85",
      "\xEF\xBB\xBF"
      "a",
      "\xF0\x9F\x98\x80",
      "\xEF\xBF\xBD",
      std::string("\0", 1),
      "spec.containers[0]",
      "a/b~0c",
      std::string(200, 'x'),
      "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"});
  return rc::gen::weightedOneOf<std::string>({{4, word}, {2, awkward}, {3, special}});
}

inline rc::Gen<Value> arbitrary_scalar() {
  const auto integer = rc::gen::map(
      rc::gen::oneOf(rc::gen::arbitrary<std::int64_t>(),
                     rc::gen::element(std::numeric_limits<std::int64_t>::min(),
                                      std::numeric_limits<std::int64_t>::max(), std::int64_t{0})),
      [](std::int64_t number) { return Value::integer(number); });
  const auto real = rc::gen::map(
      rc::gen::oneOf(rc::gen::suchThat(rc::gen::arbitrary<double>(),
                                       [](double number) { return std::isfinite(number); }),
                     rc::gen::element(0.0, -0.0, 1.0, -1.5, 1e-7, 1e20, 1e21, 5e-324, 0.1,
                                      std::numeric_limits<double>::max())),
      [](double number) { return Value::real(number); });
  const auto text =
      rc::gen::map(arbitrary_text(), [](const std::string& words) { return Value::string(words); });
  const auto boolean =
      rc::gen::map(rc::gen::arbitrary<bool>(), [](bool truth) { return Value::boolean(truth); });
  return rc::gen::weightedOneOf<Value>(
      {{1, rc::gen::just(Value::null())}, {2, boolean}, {3, integer}, {2, real}, {5, text}});
}

inline Value array_of(const std::vector<Value>& elements) {
  Builder builder;
  std::vector<Node> nodes;
  nodes.reserve(elements.size());
  for (const Value& element : elements) nodes.push_back(builder.copy(element));
  const Node root = builder.array(nodes);
  return std::move(builder).finish(root);
}

// A key that comes again is left out.
inline Value object_of(const std::vector<std::pair<std::string, Value>>& members) {
  Builder builder;
  std::set<std::string_view> seen;
  std::vector<Node::Member> nodes;
  nodes.reserve(members.size());
  for (const auto& [key, value] : members) {
    if (seen.insert(key).second) nodes.push_back({builder.text(key), builder.copy(value)});
  }
  const Node root = builder.object(nodes);
  return std::move(builder).finish(root);
}

inline rc::Gen<Value> arbitrary_value(int depth = 4);

inline rc::Gen<Value> arbitrary_array(int depth = 4) {
  return rc::gen::map(
      rc::gen::scale(0.3, rc::gen::container<std::vector<Value>>(arbitrary_value(depth - 1))),
      [](const std::vector<Value>& elements) { return array_of(elements); });
}

inline rc::Gen<Value> arbitrary_object(int depth = 4) {
  const auto member = rc::gen::pair(arbitrary_text(), arbitrary_value(depth - 1));
  return rc::gen::map(
      rc::gen::scale(0.3, rc::gen::container<std::vector<std::pair<std::string, Value>>>(member)),
      [](const std::vector<std::pair<std::string, Value>>& members) { return object_of(members); });
}

inline rc::Gen<Value> arbitrary_value(int depth) {
  if (depth <= 0) return arbitrary_scalar();
  // Lazily: a generator of all levels at once would be as large as the deepest value.
  return rc::gen::lazy([depth] {
    return rc::gen::weightedOneOf<Value>(
        {{3, arbitrary_scalar()}, {1, arbitrary_array(depth)}, {2, arbitrary_object(depth)}});
  });
}

inline void showValue(const Value& value, std::ostream& out) {
  out << to_json(value);
}

}  // namespace muster::objects

template <>
struct rc::Arbitrary<muster::objects::Value> {
  static Gen<muster::objects::Value> arbitrary() { return muster::objects::arbitrary_value(); }
};
