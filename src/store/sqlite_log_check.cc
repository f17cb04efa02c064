// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_log_check.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster::store {

namespace {

// The file format that SQLite documents for its write-ahead log.
constexpr std::size_t header_bytes = 32;
constexpr std::size_t frame_header_bytes = 24;
constexpr std::uint32_t magic_little_endian = 0x377F0682;
constexpr std::uint32_t magic_big_endian = 0x377F0683;

using View = std::span<const std::byte>;

std::uint32_t big_endian(View bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8U | std::to_integer<std::uint32_t>(bytes[at + i]);
  }
  return value;
}

std::uint32_t little_endian(View bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i > 0; --i) {
    value = value << 8U | std::to_integer<std::uint32_t>(bytes[at + i - 1]);
  }
  return value;
}

// SQLite's running checksum over pairs of words.
struct Checksum {
  bool words_are_big_endian = false;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void add(View bytes) {
    const auto word = words_are_big_endian ? big_endian : little_endian;
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += word(bytes, at) + second;
      second += word(bytes, at + 4) + first;
    }
  }
  bool is(View bytes, std::size_t at) const {
    return first == big_endian(bytes, at) && second == big_endian(bytes, at + 4);
  }
};

struct Salts {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  friend bool operator==(Salts, Salts) = default;
};

Salts salts_of(View bytes, std::size_t at) {
  return {big_endian(bytes, at), big_endian(bytes, at + 4)};
}

Result<std::uint64_t> page_bytes_of(Disk& disk, const std::string& main_path) {
  constexpr std::uint64_t usual = 8'192;
  std::vector<std::byte> header(18);
  const auto file = TRY(disk.open(main_path, OpenMode::read));
  if (TRY(file->read_at(0, header)) < header.size()) return usual;
  const std::uint64_t stored = big_endian(header, 14) & 0xFFFF;
  if (stored == 1) return 65'536;
  return stored >= 512 ? stored : usual;
}

}  // namespace

Result<> check_log(Disk& disk, const std::string& main_path) {
  const std::string path = main_path + "-wal";
  if (!TRY(disk.exists(path))) return {};
  const auto file = TRY(disk.open(path, OpenMode::read));
  const std::uint64_t size = TRY(file->size());
  std::vector<std::byte> header(header_bytes);
  if (TRY(file->read_at(0, header)) < header_bytes) return {};
  const std::uint32_t magic = big_endian(header, 0);
  Checksum sum{.words_are_big_endian = magic == magic_big_endian};
  sum.add(View(header).first(24));
  bool whole = (magic == magic_little_endian || magic == magic_big_endian) && sum.is(header, 24);
  // A damaged header also hides how large a page is; the main file knows.
  const std::uint64_t page_bytes =
      whole ? big_endian(header, 8) : TRY(page_bytes_of(disk, main_path));
  std::vector<std::byte> frame(frame_header_bytes + page_bytes);
  Salts salts = salts_of(header, 16);
  std::uint64_t broken_at = 0;
  std::uint64_t commits_behind = 0;
  for (std::uint64_t number = 1, at = header_bytes; at + frame.size() <= size;
       ++number, at += frame.size()) {
    if (TRY(file->read_at(at, frame)) < frame.size()) break;
    if (!whole && number == 1) salts = salts_of(frame, 8);
    const bool same_log = salts_of(frame, 8) == salts;
    if (whole) {
      sum.add(View(frame).first(8));
      sum.add(View(frame).subspan(frame_header_bytes));
      whole = same_log && sum.is(frame, 16);
    }
    if (whole) continue;
    if (broken_at == 0) broken_at = number;
    if (same_log && big_endian(frame, 4) != 0) ++commits_behind;
  }
  if (commits_behind < 2) return {};
  return Error::internal(fmt::format("{} is damaged at frame {}, and {} commits lie behind it",
                                     path, broken_at, commits_behind));
}

}  // namespace muster::store
