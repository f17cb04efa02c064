// Arena: the memory of one value. Blocks that grow by doubling, freed together; a list of other
// arenas that nodes in this one point into.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace muster::objects {

class Arena {
 public:
  explicit Arena(std::size_t bytes_expected);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Aligned for Node. Never fails but by std::bad_alloc; callers bound their input.
  void* allocate(std::size_t bytes);

  // Unaligned room for text.
  char* allocate_text(std::size_t bytes);

  void retain(std::shared_ptr<const Arena> other);

  // Distinct arenas reachable from here, this one included.
  std::size_t arenas() const;

  // Bytes reserved here and in retained arenas.
  std::size_t memory() const;

 private:
  void grow(std::size_t bytes);

  // Nodes grow upwards from the front of a block, text downwards from its back.
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* front_ = nullptr;
  std::byte* back_ = nullptr;
  std::size_t next_block_bytes_;
  std::size_t bytes_ = 0;
  std::vector<std::shared_ptr<const Arena>> retained_;
};

}  // namespace muster::objects
