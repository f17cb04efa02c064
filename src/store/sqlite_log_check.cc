// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_log_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/sqlite_schema.h"

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
    if (words_are_big_endian) return add_words<big_endian>(bytes);
    add_words<little_endian>(bytes);
  }
  // Known while compiling, a word is one load: whole logs are read at each start.
  template <std::uint32_t (*word)(View, std::size_t)>
  void add_words(View bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += word(bytes, at) + second;
      second += word(bytes, at + 4) + first;
    }
  }
  bool is(View bytes, std::size_t at) const {
    return first == big_endian(bytes, at) && second == big_endian(bytes, at + 4);
  }
  void add_frame(View frame) {
    add(frame.first(8));
    add(frame.subspan(frame_header_bytes));
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
  std::vector<std::byte> header(18);
  const auto file = TRY(disk.open(main_path, OpenMode::read));
  if (TRY(file->read_at(0, header)) < header.size()) return page_bytes_new;
  const std::uint64_t stored = big_endian(header, 14) & 0xFFFF;
  if (stored == 1) return 65'536;
  return stored >= 512 ? stored : page_bytes_new;
}

// A header that lies in two sectors may be half of this log and half of what was there before.
bool has_one_sector(std::uint64_t at) {
  constexpr std::uint64_t sector_bytes = 512;
  return at / sector_bytes == (at + 15) / sector_bytes;
}

// What lies behind the first frame that does not match. A frame follows another when it continues
// the checksum that the other names, or should name. What a crash cut off is full of holes, and
// remains of older logs show in them: only commits that follow each other tell of damage.
class Behind {
 public:
  struct Place {
    std::uint64_t number = 0;
    std::uint64_t at = 0;
    bool same_log = false;
  };

  void add(const Place& place, Checksum before, View frame) {
    if (broken_at == 0) {
      broken_at = place.number;
      named_ = before;
      counted_ = before;
    }
    named_.add_frame(frame);
    counted_.add_frame(frame);
    const bool is_named = named_.is(frame, 16);
    const bool follows = is_named || counted_.is(frame, 16);
    if (is_named) counted_ = named_;
    named_.first = big_endian(frame, 16);
    named_.second = big_endian(frame, 20);
    if (!follows) commits_ = 0;
    const bool is_commit = place.same_log && big_endian(frame, 4) != 0;
    if (is_commit && (follows || has_one_sector(place.at))) ++commits_;
    commits_most = std::max(commits_most, commits_);
  }

  std::uint64_t broken_at = 0;
  std::uint64_t commits_most = 0;

 private:
  Checksum named_;    // after the frame before, as it says
  Checksum counted_;  // and as its bytes say
  std::uint64_t commits_ = 0;
};

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
  Behind behind;
  for (std::uint64_t number = 1, at = header_bytes; at + frame.size() <= size;
       ++number, at += frame.size()) {
    if (TRY(file->read_at(at, frame)) < frame.size()) break;
    if (!whole && number == 1) salts = salts_of(frame, 8);
    const bool same_log = salts_of(frame, 8) == salts;
    const Checksum before = sum;
    if (whole) {
      sum.add_frame(frame);
      whole = same_log && sum.is(frame, 16);
    }
    if (!whole) behind.add({number, at, same_log}, before, frame);
  }
  if (behind.commits_most < 2) return {};
  return Error::internal(fmt::format("{} is damaged at frame {}, and {} commits lie behind it",
                                     path, behind.broken_at, behind.commits_most));
}

}  // namespace muster::store
