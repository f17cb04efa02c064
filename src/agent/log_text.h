// LogText: a container's log as `kubectl logs` prints it, from the lines that log files hold
// (agent/container_log.h): with or without times, from a moment on, only the last lines, only so
// many bytes. It takes the file's bytes in pieces of any size.
//
//   LogText text({.timestamps = true, .tail_lines = 10});
//   out += text.take(bytes);  …
//   out += text.reach_end();          // now the last ten are known
//   out += text.take(more);           // and what comes after them passes
//
// Assumes: a line without an end is one that is still being written. What is no such line is shown
// as it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"

namespace muster::agent {

struct LogOptions {
  bool timestamps = false;
  std::optional<std::int64_t> tail_lines = {};
  std::optional<std::int64_t> limit_bytes = {};
  std::optional<Instant> since = {};
};

class LogText {
 public:
  explicit LogText(LogOptions options) : options_(options), holds_back_(options.tail_lines) {}

  std::string take(std::string_view bytes);

  // The log has no more at present. With tail_lines nothing comes before this.
  std::string reach_end();

  // limit_bytes are out: nothing will come any more.
  bool is_full() const { return options_.limit_bytes && written_ >= *options_.limit_bytes; }

 private:
  void take_line(std::string_view line, std::string& out);
  void write(std::string_view line, std::string& out);
  bool is_wanted(std::string_view time) const;

  const LogOptions options_;
  bool holds_back_;               // until the end was reached once
  std::deque<std::string> last_;  // lines that are held back
  std::string rest_;              // of a line that has not ended
  bool is_line_start_ = true;     // the line before ended
  std::int64_t written_ = 0;
};

}  // namespace muster::agent
