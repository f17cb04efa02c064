// SPDX-License-Identifier: Apache-2.0
#include "objects/arena.h"

#include <algorithm>

namespace muster::objects {

namespace {

constexpr std::size_t alignment = 8;
constexpr std::size_t block_bytes_min = 256;
constexpr std::size_t block_bytes_max = std::size_t{1} << 20;

constexpr std::size_t round_up(std::size_t bytes) {
  return (bytes + alignment - 1) & ~(alignment - 1);
}

}  // namespace

Arena::Arena(std::size_t bytes_expected)
    : next_block_bytes_(std::max(block_bytes_min, round_up(bytes_expected))) {}

void* Arena::allocate(std::size_t bytes) {
  const std::size_t rounded = round_up(bytes);
  if (static_cast<std::size_t>(back_ - front_) < rounded) grow(rounded);
  std::byte* at = front_;
  front_ += rounded;
  return at;
}

char* Arena::allocate_text(std::size_t bytes) {
  if (static_cast<std::size_t>(back_ - front_) < bytes) grow(round_up(bytes));
  back_ -= bytes;
  return reinterpret_cast<char*>(back_);
}

void Arena::grow(std::size_t bytes) {
  const std::size_t size = std::max(next_block_bytes_, bytes);
  // Left uninitialised: every byte handed out is written before it is read.
  blocks_.push_back(std::unique_ptr<std::byte[]>(new std::byte[size]));
  front_ = blocks_.back().get();
  back_ = front_ + size;
  bytes_ += size;
  next_block_bytes_ = std::clamp(size * 2, block_bytes_min, block_bytes_max);
}

void Arena::retain(std::shared_ptr<const Arena> other) {
  if (other == nullptr || other.get() == this) return;
  const auto same = [&](const auto& kept) { return kept == other; };
  if (std::none_of(retained_.begin(), retained_.end(), same)) {
    retained_.push_back(std::move(other));
  }
}

std::size_t Arena::arenas() const {
  std::size_t count = 1;
  for (const auto& other : retained_) count += other->arenas();
  return count;
}

std::size_t Arena::memory() const {
  std::size_t bytes = bytes_;
  for (const auto& other : retained_) bytes += other->memory();
  return bytes;
}

}  // namespace muster::objects
