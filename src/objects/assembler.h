// Assembler: what the JSON and the YAML reader share. It takes keys and values in the order in
// which the text has them, keeps the open containers on one scratch stack, and moves each
// container into the builder when it closes. It refuses nesting beyond the limit and treats
// duplicate keys as the options say, with full paths in its words.
//
//   assembler.begin(builder, options);
//   if (!assembler.open(Type::object)) return too deep;
//   assembler.add(builder.text("a")); assembler.add(Builder::integer(1));
//   Node object = TRY(assembler.close());
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

class Assembler {
 public:
  // For a new document; what an earlier one left behind is forgotten, its memory is used again.
  void begin(Builder& builder, const ParseOptions& options) {
    builder_ = &builder;
    options_ = &options;
    nodes_.clear();
    open_.clear();
  }

  // Frees memory beyond that for so many nodes.
  void shrink(std::size_t nodes_max);

  // Begins an array or an object. False where that is deeper than options.depth_max.
  bool open(Type type) {
    if (open_.size() >= options_->depth_max) return false;
    open_.push_back({nodes_.size(), type});
    return true;
  }

  // A key or a value of the innermost open container; objects get them in turns.
  void add(const Node& node) { nodes_.push_back(node); }

  // Ends the innermost container. Its node is returned and not yet added to its parent.
  // Where keys were repeated and the last one wins, superseded() tells which members went away.
  Result<Node> close();

  // Members of the object closed last that a later one with the same key replaced, ascending.
  std::span<const std::size_t> superseded() const { return superseded_; }

  // Where close() refused: the first member whose key had occurred before.
  std::size_t first_duplicate() const { return first_duplicate_; }

  std::size_t depth() const { return open_.size(); }
  bool in_object() const { return !open_.empty() && open_.back().type == Type::object; }

  // True where the next thing to come is a key.
  bool expects_key() const { return in_object() && (nodes_.size() - open_.back().first) % 2 == 0; }

  // The field path of the innermost open container; of its member where a key is given.
  std::string path() const;
  std::string path_of(std::string_view key) const;

 private:
  struct Open {
    std::size_t first;  // index of its first node on the scratch stack
    Type type;
  };

  Result<> settle_duplicates();

  Builder* builder_ = nullptr;
  const ParseOptions* options_ = nullptr;
  std::vector<Node> nodes_;
  std::vector<Open> open_;
  std::vector<std::size_t> superseded_;
  std::size_t first_duplicate_ = 0;
};

// Whether a key occurs twice. The nodes are keys and values in turns.
bool has_duplicate_keys(std::span<const Node> keys_and_values);

}  // namespace muster::objects
