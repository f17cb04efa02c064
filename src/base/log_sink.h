// The real sinks of the log: standard error, and a file that is rotated at a size. main/ chooses.
// Writing is a plain write() under a lock, short enough for any thread. A line that cannot be
// written (a full disk) is dropped and counted, because a log must not stop the house.
//
//   const auto sink = TRY(open_log_file({.path = "/var/lib/muster/muster.log"}));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"

namespace muster {

struct LogFile {
  std::string path;
  std::size_t file_bytes_max = 16'777'216;
  std::size_t old_files_max = 4;  // path.1.log … beside the current one
};

// A sink that tells how many lines it lost.
class CountingLogSink : public LogSink {
 public:
  std::uint64_t lines_dropped() const { return lines_dropped_.load(std::memory_order_relaxed); }

 protected:
  void count_dropped_line() { lines_dropped_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> lines_dropped_ = 0;
};

std::unique_ptr<CountingLogSink> open_standard_error_log();

// internal, with the path, when the file cannot be opened.
Result<std::unique_ptr<CountingLogSink>> open_log_file(const LogFile& file);

}  // namespace muster
