// LogSource: the bytes of one run's log from its beginning, as they lie in its files. Files are
// begun anew when they are full (agent/container_log.h); a reader goes on in the next one.
//
//   FileLogSource source(disk, pod_folder::log_path(folder, "main", 0));
//   std::string bytes = TRY(source.read(64'000));       // empty: no more at present
//
// Assumes: read() is called inside of a job of the disk. A reader that was so slow that its part
// went away goes on with the oldest that is left.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/disk.h"
#include "base/result.h"

namespace muster::agent {

class LogSource {
 public:
  virtual ~LogSource() = default;
  virtual Result<std::string> read(std::size_t bytes_max) = 0;
};

// For pods that have no files.
class TextLogSource final : public LogSource {
 public:
  explicit TextLogSource(std::string text) : text_(std::move(text)) {}
  Result<std::string> read(std::size_t /*bytes_max*/) override { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

class FileLogSource final : public LogSource {
 public:
  // The path is that of the newest part; older ones end in .1, .2 …
  FileLogSource(Disk& disk, std::string path) : disk_(disk), path_(std::move(path)) {}

  Result<std::string> read(std::size_t bytes_max) override;

 private:
  std::string path_of(int generation) const;

  // Generations move while one looks: a part is known by its first bytes, which hold a time.
  Result<std::string> head_of(File& file) const;
  Result<bool> open_oldest();
  Result<bool> open_next();

  Disk& disk_;
  const std::string path_;
  std::unique_ptr<File> file_;  // a part that is renamed stays readable
  std::string head_;
  std::uint64_t offset_ = 0;
};

}  // namespace muster::agent
