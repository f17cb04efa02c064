// SPDX-License-Identifier: Apache-2.0
#include "simulator/file_image.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace muster::simulator {

namespace {

// Bytes between the old end and a new one read as zero, as in a file with a hole.
void place(std::uint64_t offset, std::span<const std::byte> bytes, std::vector<std::byte>& image) {
  const std::uint64_t end = offset + bytes.size();
  if (end > image.size()) image.resize(end);
  std::copy(bytes.begin(), bytes.end(), image.begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace

std::size_t FileImage::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (offset >= present_.size()) return 0;
  const std::size_t length = std::min<std::size_t>(into.size(), present_.size() - offset);
  std::copy_n(present_.begin() + static_cast<std::ptrdiff_t>(offset), length, into.begin());
  return length;
}

std::span<const std::byte> FileImage::bytes_of(const Change& change) const {
  if (change.is_kept) return change.kept;
  return std::span(present_).subspan(change.offset, change.length);
}

// What waits to be synced and is about to be overwritten may survive a crash as it is now.
void FileImage::keep(std::uint64_t begin, std::uint64_t end) {
  if (begin >= unsynced_end_) return;  // behind all of it, as logs are written
  for (Change& change : unsynced_) {
    const bool overlaps = change.offset < end && begin < change.offset + change.length;
    if (change.truncates || change.is_kept || !overlaps) continue;
    const auto bytes = bytes_of(change);
    change.kept.assign(bytes.begin(), bytes.end());
    change.is_kept = true;
  }
}

void FileImage::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  keep(offset, offset + bytes.size());
  place(offset, bytes, present_);
  unsynced_.push_back({.offset = offset, .length = bytes.size()});
  unsynced_end_ = std::max(unsynced_end_, offset + bytes.size());
}

void FileImage::truncate(std::uint64_t size) {
  keep(size, unsynced_end_);
  present_.resize(size);
  unsynced_.push_back({.truncates = true, .offset = size});
}

void FileImage::sync() {
  for (const Change& change : unsynced_) apply(change, durable_);
  forget_changes();
}

void FileImage::fail_sync(SeededRandom& random) {
  for (const Change& change : unsynced_) apply_some(change, durable_, random);
  forget_changes();
}

void FileImage::forget_changes() {
  unsynced_.clear();
  unsynced_end_ = 0;
}

void FileImage::crash(Survival survival, SeededRandom& random) {
  for (const Change& change : unsynced_) {
    if (survival == Survival::all) apply(change, durable_);
    if (survival == Survival::any) apply_some(change, durable_, random);
  }
  forget_changes();
  present_ = durable_;
}

void FileImage::flip_bit(std::uint64_t offset, unsigned bit) {
  CHECK(offset < present_.size() && bit < 8, "only a bit that exists can rot");
  keep(offset, offset + 1);
  const auto mask = static_cast<std::byte>(1U << bit);
  present_[offset] ^= mask;
  if (offset < durable_.size()) durable_[offset] ^= mask;
}

void FileImage::apply(const Change& change, Bytes& image) const {
  if (change.truncates) {
    image.resize(change.offset);
  } else {
    place(change.offset, bytes_of(change), image);
  }
}

// Each sector for itself. Where the write made the file longer, the length may have arrived
// without the contents, which then read as zeros.
void FileImage::apply_torn(const Change& change, Bytes& image, SeededRandom& random) const {
  const std::uint64_t end = change.offset + change.length;
  if (end > image.size() && random.one_in(2)) image.resize(end);
  for (std::uint64_t begin = change.offset; begin < end;) {
    const std::uint64_t sector_end = std::min(end, (begin / sector_bytes + 1) * sector_bytes);
    if (random.one_in(2)) {
      const auto bytes = bytes_of(change).subspan(begin - change.offset, sector_end - begin);
      place(begin, bytes, image);
    }
    begin = sector_end;
  }
}

void FileImage::apply_some(const Change& change, Bytes& image, SeededRandom& random) const {
  switch (random.below(3)) {
    case 0:
      return;
    case 1:
      return apply(change, image);
    default:
      break;
  }
  if (change.truncates) return apply(change, image);  // a length is not torn
  apply_torn(change, image, random);
}

}  // namespace muster::simulator
