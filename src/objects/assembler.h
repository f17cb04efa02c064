// Assembler: what the JSON and the YAML reader share. It takes keys and values in the order in
// which the text has them, keeps the open containers on one scratch stack, and moves each
// container into the builder when it closes. It refuses nesting beyond the limit and treats
// duplicate keys as the options say, with full paths in its words.
//
//   assembler.begin(builder, options);
//   if (!assembler.open(Type::object)) return too deep;
//   assembler.push() = builder.text("a");
//   assembler.push() = Builder::integer(1);
//   if (!assembler.close()) return assembler.error();     // pushes the object
//   Node root = assembler.root();
//
// Internal to this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/builder.h"
#include "objects/json.h"

namespace muster::objects {

// Whether a key occurs twice. The nodes are keys and values in turns.
bool has_duplicate_keys(std::span<const Node> keys_and_values);

class Assembler {
 public:
  // For a new document; what an earlier one left behind is forgotten, its memory is used again.
  void begin(Builder& builder, const ParseOptions& options) {
    builder_ = &builder;
    options_ = &options;
    top_ = nodes_.data();
    open_.clear();
  }

  // Frees memory beyond that for so many nodes.
  void shrink(std::size_t nodes_max);

  // Begins an array or an object. False where that is deeper than options.depth_max.
  bool open(Type type) {
    if (open_.size() >= options_->depth_max) return false;
    open_.push_back({size(), type});
    return true;
  }

  // The next key or value of the innermost open container, to be filled in place; objects get
  // them in turns. Outside of all containers it is the root.
  Node& push() {
    if (top_ == end_) [[unlikely]]
      grow();
    return *top_++;
  }

  // Ends the innermost container and pushes it. Where keys were repeated and the last one wins,
  // superseded() tells which members went away; where that is not allowed it returns false, and
  // error() says which key it was.
  bool close() {
    const Open closing = open_.back();
    superseded_.clear();
    if (closing.type == Type::object && has_duplicate_keys(innermost()) && !settle_duplicates()) {
      return false;
    }
    const Node node = closing.type == Type::array ? builder_->array(innermost())
                                                  : builder_->object_of_pairs(innermost());
    open_.pop_back();
    top_ = nodes_.data() + closing.first;
    push() = node;
    return true;
  }

  const Error& error() const { return error_; }

  // The one node that is left when everything is closed.
  const Node& root() const { return nodes_.front(); }

  // What the innermost open container has so far: elements, or keys and values in turns.
  std::span<const Node> innermost() const {
    return {nodes_.data() + open_.back().first, size() - open_.back().first};
  }

  // What push() filled last, or close() made.
  const Node& last() const { return *(top_ - 1); }

  // Takes out all that innermost() has.
  void clear_innermost() { top_ = nodes_.data() + open_.back().first; }

  // Members of the object closed last that a later one with the same key replaced, ascending.
  std::span<const std::size_t> superseded() const { return superseded_; }

  // Where close() refused: the first member whose key had occurred before.
  std::size_t first_duplicate() const { return first_duplicate_; }

  std::size_t depth() const { return open_.size(); }
  bool in_object() const { return !open_.empty() && open_.back().type == Type::object; }

  // True where the next thing to come is a key.
  bool expects_key() const { return in_object() && (size() - open_.back().first) % 2 == 0; }

  // The field path of the innermost open container; of its member where a key is given.
  std::string path() const;
  std::string path_of(std::string_view key) const;

 private:
  struct Open {
    std::size_t first;  // index of its first node on the scratch stack
    Type type;
  };

  void grow();
  std::size_t size() const { return static_cast<std::size_t>(top_ - nodes_.data()); }
  bool settle_duplicates();

  Builder* builder_ = nullptr;
  const ParseOptions* options_ = nullptr;
  std::vector<Node> nodes_;  // the stack: in use up to top_, room up to end_
  Node* top_ = nullptr;
  Node* end_ = nullptr;
  std::vector<Open> open_;
  std::vector<std::size_t> superseded_;
  std::size_t first_duplicate_ = 0;
  Error error_{};
};

}  // namespace muster::objects
