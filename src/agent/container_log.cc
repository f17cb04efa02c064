// SPDX-License-Identifier: Apache-2.0
#include "agent/container_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/os/folders.h"
#include "base/timestamp.h"

namespace muster::agent {

std::string LogLines::take(std::string_view bytes, Instant now) {
  std::string out;
  while (!bytes.empty()) {
    const std::size_t room = log_line_bytes_max - rest_.size();
    const std::size_t end = bytes.find('\n');
    if (end != std::string_view::npos && end <= room) {
      rest_.append(bytes.substr(0, end));
      bytes.remove_prefix(end + 1);
      append('F', rest_, now, out);
      rest_.clear();
      continue;
    }
    const std::size_t taken = std::min(room, bytes.size());
    rest_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (bytes.empty()) break;  // it may still end exactly here
    append('P', rest_, now, out);
    rest_.clear();
  }
  return out;
}

std::string LogLines::finish(Instant now) {
  std::string out;
  if (!rest_.empty()) append('P', rest_, now, out);
  rest_.clear();
  return out;
}

void LogLines::append(char flag, std::string_view text, Instant now, std::string& out) const {
  const Timestamp time = Timestamp::of(now);
  std::string_view seconds;
  const std::string formatted = format_time(time);
  seconds = formatted;
  seconds.remove_suffix(1);  // the Z
  fmt::format_to(std::back_inserter(out), "{}.{:09}Z {} {} {}\n", seconds, time.nanoseconds(),
                 stream_, flag, text);
}

void LogFiles::begin() {
  auto opened = open_for_append(path_);
  if (!opened) return;
  file_ = std::move(*opened);
  bytes_ = file_bytes(file_).value_or(0);
}

// Cut only between lines. A reader that follows finds the older part by its new name.
void LogFiles::write(std::string_view lines) {
  while (!lines.empty()) {
    if (!file_) begin();
    if (!file_) return;
    const std::size_t room = bytes_ < limits_.file_bytes ? limits_.file_bytes - bytes_ : 0;
    std::size_t part = lines.size();
    if (part > room) {
      const std::size_t fits = room == 0 ? std::string_view::npos : lines.rfind('\n', room - 1);
      part = fits == std::string_view::npos ? 0 : fits + 1;
    }
    // A line that is longer than a file has one for itself.
    if (part == 0 && bytes_ == 0) part = lines.find('\n') + 1;
    if (part == 0) {
      rotate();
      continue;
    }
    if (!append_text(file_, lines.substr(0, part))) return;
    bytes_ += part;
    lines.remove_prefix(part);
  }
}

void LogFiles::rotate() {
  for (int generation = limits_.files - 1; generation > 0; --generation) {
    const std::string newer = generation == 1 ? path_ : fmt::format("{}.{}", path_, generation - 1);
    if (path_exists(newer)) {
      static_cast<void>(rename_file(newer, fmt::format("{}.{}", path_, generation)));
    }
  }
  if (limits_.files <= 1) static_cast<void>(remove_folder_tree(path_));
  file_ = Descriptor();
  bytes_ = 0;
}

}  // namespace muster::agent
