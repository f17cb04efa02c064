// SPDX-License-Identifier: Apache-2.0
#include "objects/arena.h"

#include <algorithm>
#include <new>
#include <utility>

namespace muster::objects {

namespace {

constexpr std::size_t block_bytes_max = std::size_t{1} << 20;

}  // namespace

// Stands at the beginning of every block.
struct Arena::Block {
  Block* older;
};

Arena::Arena(std::size_t bytes_expected) : next_block_bytes_(round_up(bytes_expected)) {}

Arena::~Arena() {
  while (newest_ != nullptr) ::operator delete(std::exchange(newest_, newest_->older));
}

void Arena::grow(std::size_t bytes) {
  const std::size_t size = std::max(next_block_bytes_, bytes);
  // Left uninitialised: every byte handed out is written before it is read.
  auto* const start = static_cast<std::byte*>(::operator new(sizeof(Block) + size));
  newest_ = ::new (start) Block{newest_};
  front_ = start + sizeof(Block);
  back_ = front_ + size;
  bytes_ += sizeof(Block) + size;
  next_block_bytes_ = std::min(size * 2, block_bytes_max);
}

void Arena::retain(std::shared_ptr<const Arena> other) {
  if (other == nullptr || other.get() == this) return;
  // The parts of one value come one after the other; settle() finds the other repetitions.
  if (!retained_.empty() && retained_.back() == other) return;
  retained_.push_back(std::move(other));
}

void Arena::settle() {
  if (retained_.empty()) return;
  const std::size_t direct = retained_.size();
  for (std::size_t i = 0; i < direct; ++i) {
    const Arena& other = *retained_[i];
    retained_.insert(retained_.end(), other.retained_.begin(), other.retained_.end());
  }
  std::sort(retained_.begin(), retained_.end());
  retained_.erase(std::unique(retained_.begin(), retained_.end()), retained_.end());
}

std::size_t Arena::memory() const {
  std::size_t bytes = sizeof(Arena) + bytes_;
  for (const auto& other : retained_) bytes += sizeof(Arena) + other->bytes_;
  return bytes;
}

}  // namespace muster::objects
