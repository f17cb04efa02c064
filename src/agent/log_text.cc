// SPDX-License-Identifier: Apache-2.0
#include "agent/log_text.h"

#include <algorithm>

#include "base/timestamp.h"

namespace muster::agent {

namespace {

// `time stream flag text`; the text may be empty.
struct Line {
  std::string_view time;
  bool is_partial = false;
  std::string_view text;
};

std::optional<Line> parse_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = line.find(' ', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view stream = line.substr(first + 1, second - first - 1);
  if (stream != "stdout" && stream != "stderr") return std::nullopt;
  const std::string_view rest = line.substr(second + 1);
  const bool has_flag = rest.size() >= 2 && (rest[0] == 'F' || rest[0] == 'P') && rest[1] == ' ';
  if (!has_flag) return std::nullopt;
  return Line{.time = line.substr(0, first), .is_partial = rest[0] == 'P', .text = rest.substr(2)};
}

}  // namespace

std::string LogText::take(std::string_view bytes) {
  std::string out;
  while (!bytes.empty() && !is_full()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      rest_ += bytes;
      break;
    }
    rest_ += bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    take_line(rest_, out);
    rest_.clear();
  }
  return out;
}

std::string LogText::reach_end() {
  std::string out;
  if (!holds_back_) return out;
  holds_back_ = false;
  for (const std::string& line : last_) write(line, out);
  last_.clear();
  return out;
}

void LogText::take_line(std::string_view line, std::string& out) {
  if (options_.since) {
    const auto parsed = parse_line(line);
    if (parsed && !is_wanted(parsed->time)) return;
  }
  if (!holds_back_) return write(line, out);
  if (*options_.tail_lines <= 0) return;
  last_.emplace_back(line);
  if (static_cast<std::int64_t>(last_.size()) > *options_.tail_lines) last_.pop_front();
}

bool LogText::is_wanted(std::string_view time) const {
  const auto parsed = parse_time(time);
  return !parsed || parsed->saturated_instant() >= *options_.since;
}

void LogText::write(std::string_view line, std::string& out) {
  if (is_full()) return;
  std::string shown;
  if (const auto parsed = parse_line(line)) {
    if (options_.timestamps && is_line_start_) {
      shown += parsed->time;
      shown += ' ';
    }
    shown += parsed->text;
    is_line_start_ = !parsed->is_partial;
  } else {
    shown = line;
    is_line_start_ = true;
  }
  if (is_line_start_) shown += '\n';
  if (options_.limit_bytes) {
    const std::int64_t room = *options_.limit_bytes - written_;
    shown.resize(std::min(shown.size(), static_cast<std::size_t>(room)));
  }
  written_ += static_cast<std::int64_t>(shown.size());
  out += shown;
}

}  // namespace muster::agent
