// A container's log on disk, in the format of the container runtime interface, so that every tool
// that reads a kubelet's logs reads ours: time, stream, F for a full line or P for a part of one
// (a line beyond the limit, or the last one without an end), and the text.
//
//   2026-11-15T07:31:17.123456789Z stdout F epoch 1 loss 0.25
//
//   LogLines lines("stdout");
//   log.write(lines.take(bytes, clock.wall()));     // … and at the end lines.finish()
//
// Assumes: a disk that is full loses lines and nothing else; the container does not wait for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/limits.h"
#include "base/instant.h"
#include "base/os/descriptor.h"

namespace muster::agent {

// Cuts a stream into lines with their heads.
class LogLines {
 public:
  explicit LogLines(std::string_view stream) : stream_(stream) {}

  // The lines that are finished by these bytes.
  std::string take(std::string_view bytes, Instant now);

  // What is left of a line that never ended.
  std::string finish(Instant now);

 private:
  void append(char flag, std::string_view text, Instant now, std::string& out) const;

  std::string stream_;
  std::string rest_;  // shorter than log_line_bytes_max
};

struct LogLimits {
  std::uint64_t file_bytes = log_file_bytes_max;
  int files = log_files_max;
};

// The files of one container's log: a new one is begun when the newest is full, and the oldest
// goes.
class LogFiles {
 public:
  // The path is that of the newest.
  LogFiles(std::string path, LogLimits limits) : path_(std::move(path)), limits_(limits) {}

  // Makes the newest file where it is not there: whoever begins to speak does not wait for that.
  void begin();

  void write(std::string_view lines);

 private:
  void rotate();

  std::string path_;
  LogLimits limits_;
  Descriptor file_;
  std::uint64_t bytes_ = 0;
};

}  // namespace muster::agent
