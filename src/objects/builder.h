// Builder: makes a Value bottom-up in one new arena. Nodes it returns are plain handles that may
// be placed into arrays and objects of the same builder; whole parts of other values can be
// embedded without copying, and are kept alive by the finished value.
//
//   Builder builder;
//   Node::Member members[] = {{builder.text("name"), builder.text("a")},
//                             {builder.text("spec"), builder.embed(old.part(old["spec"]))}};
//   Value value = std::move(builder).finish(builder.object(members));
//
// Assumes: a Builder is used by one thread and finished once. It does not check for duplicate
// keys: whoever reads input does (objects/json.h). Objects from object() and object_of_pairs() can
// be large: their members are found by halves (objects/member_index.h); those of object_of() are
// scanned.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "objects/value.h"

namespace muster::objects {

class Builder {
 public:
  Builder();
  // Room for about this many bytes of nodes and strings in the first block.
  explicit Builder(std::size_t bytes_expected);
  ~Builder();
  Builder(Builder&&) noexcept;
  Builder& operator=(Builder&&) noexcept;

  static Node null();
  static Node boolean(bool value);
  static Node integer(std::int64_t value);
  static Node real(double value);

  Node text(std::string_view value);            // copied into the arena
  static Node literal(std::string_view value);  // must live for ever (a string literal)
  Node array(std::span<const Node> elements);
  Node object(std::span<const Node::Member> members);
  Node object_of_pairs(std::span<const Node> keys_and_values);  // key, value, key, value …

  // Uninitialised room that the caller fills before finish(): for parsers.
  std::span<char> text_room(std::size_t size);
  std::span<Node> element_room(std::size_t count);
  std::span<Node::Member> member_room(std::size_t count);
  static Node text_of(std::span<const char> room);
  static Node array_of(std::span<const Node> room);
  static Node object_of(std::span<const Node::Member> room);

  // The same object with one member's value replaced; its keys and their order are kept.
  Node object_replacing(const Node& object, std::size_t member, const Node& value);

  // Shares the value's nodes, and keeps its arena alive.
  Node embed(const Value& value);

  // From now on, nodes of this value may be used in this builder.
  void retain(const Value& value);

  // Deep copy into this arena; retains nothing.
  Node copy(View view);

  // The value. Where too many arenas would be kept alive, a copy in one arena instead.
  Value finish(Node root) &&;

 private:
  std::span<Node::Member> arranged_room(std::size_t count);
  Node arranged(std::span<Node::Member> room);
  void copy_into(const Node& from, Node& to);

  std::shared_ptr<Arena> arena_;
};

}  // namespace muster::objects
