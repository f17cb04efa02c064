// Arena: the memory of one value. Blocks that grow by doubling and are freed together, and a list
// of the other arenas that nodes in this one point into. When it is settled that list is flat:
// every arena reachable from here, once. So counting is a size, and freeing the last value of a
// long chain of edits does not recurse along the chain.
//
//   Arena arena(6000);
//   auto* nodes = static_cast<Node*>(arena.allocate(3 * sizeof(Node)));
//
// Internal to this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace muster::objects {

class Arena {
 public:
  explicit Arena(std::size_t bytes_expected);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Aligned for Node. Never fails but by std::bad_alloc; callers bound their input.
  void* allocate(std::size_t bytes) {
    const std::size_t rounded = round_up(bytes);
    if (static_cast<std::size_t>(back_ - front_) < rounded) grow(rounded);
    std::byte* at = front_;
    front_ += rounded;
    return at;
  }

  // Takes back the end of what allocate() returned last.
  void give_back(std::size_t bytes) { front_ -= round_up(bytes); }

  // Unaligned room for text.
  char* allocate_text(std::size_t bytes) {
    if (static_cast<std::size_t>(back_ - front_) < bytes) grow(round_up(bytes));
    back_ -= bytes;
    return reinterpret_cast<char*>(back_);
  }

  // Keeps the other arena alive as long as this one.
  void retain(std::shared_ptr<const Arena> other);

  // Takes in what the retained arenas retain, each once. Called when the value is complete.
  void settle();

  // Distinct arenas reachable from here, this one included. Counts once settled.
  std::size_t arenas() const { return retained_.size() + 1; }

  // Bytes reserved here and in retained arenas.
  std::size_t memory() const;

  static constexpr std::size_t round_up(std::size_t bytes) {
    return (bytes + alignment - 1) & ~(alignment - 1);
  }

 private:
  static constexpr std::size_t alignment = 8;

  struct Block;
  void grow(std::size_t bytes);

  // Nodes grow upwards from the front of a block, text downwards from its back.
  std::byte* front_ = nullptr;
  std::byte* back_ = nullptr;
  Block* newest_ = nullptr;
  std::size_t next_block_bytes_;
  std::size_t bytes_ = 0;
  std::vector<std::shared_ptr<const Arena>> retained_;
};

}  // namespace muster::objects
