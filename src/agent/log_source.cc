// SPDX-License-Identifier: Apache-2.0
#include "agent/log_source.h"

#include <fmt/format.h>

#include <span>

#include "agent/limits.h"

namespace muster::agent {

namespace {

constexpr std::size_t head_bytes = 64;

Result<std::string> read_bytes(File& file, std::uint64_t offset, std::size_t bytes_max) {
  std::string bytes(bytes_max, '\0');
  const std::size_t count = TRY(file.read_at(offset, std::as_writable_bytes(std::span(bytes))));
  bytes.resize(count);
  return bytes;
}

}  // namespace

std::string FileLogSource::path_of(int generation) const {
  return generation == 0 ? path_ : fmt::format("{}.{}", path_, generation);
}

Result<std::string> FileLogSource::head_of(File& file) const {
  return read_bytes(file, 0, head_bytes);
}

// False when there is no log yet.
Result<bool> FileLogSource::open_oldest() {
  for (int generation = log_files_max - 1; generation >= 0; --generation) {
    auto opened = disk_.open(path_of(generation), OpenMode::read);
    if (!opened && opened.error().code == ErrorCode::not_found) continue;
    if (!opened) return opened.error();
    file_ = std::move(*opened);
    head_ = TRY(head_of(*file_));
    offset_ = 0;
    return true;
  }
  return false;
}

// The part after the one that was read to its end; false when that is the newest.
Result<bool> FileLogSource::open_next() {
  if (head_.size() < head_bytes) head_ = TRY(head_of(*file_));
  std::unique_ptr<File> newer;
  std::string newer_head;
  for (int generation = 0; generation < log_files_max; ++generation) {
    auto opened = disk_.open(path_of(generation), OpenMode::read);
    if (!opened && opened.error().code == ErrorCode::not_found) {
      // Right after a rotation the newest does not exist yet.
      if (generation == 0) continue;
      break;
    }
    if (!opened) return opened.error();
    std::string head = TRY(head_of(**opened));
    if (head.starts_with(head_)) {  // it may have grown since
      if (newer == nullptr) return false;
      file_ = std::move(newer);
      head_ = std::move(newer_head);
      offset_ = 0;
      return true;
    }
    newer = std::move(*opened);
    newer_head = std::move(head);
  }
  return open_oldest();
}

Result<std::string> FileLogSource::read(std::size_t bytes_max) {
  if (file_ == nullptr && !TRY(open_oldest())) return std::string();
  for (int part = 0; part <= log_files_max; ++part) {
    std::string bytes = TRY(read_bytes(*file_, offset_, bytes_max));
    offset_ += bytes.size();
    if (!bytes.empty()) return bytes;
    if (!TRY(open_next())) return std::string();
  }
  return std::string();
}

}  // namespace muster::agent
