// CheckpointFolder: the few things that a checkpoint does with files, so that a test can put a disk
// in its place that loses power between any two of them.
//
//   SystemFolder folder("/ckpt");
//   folder.write("a.new", bytes);  folder.sync("a.new");
//   folder.rename("a.new", "a");   folder.sync_names();
//
// Assumes: one writer. Whatever fails throws std::runtime_error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::trainer {

class CheckpointFolder {
 public:
  virtual ~CheckpointFolder() = default;

  virtual void write(const std::string& name, std::string_view bytes) = 0;  // anew
  virtual void sync(const std::string& name) = 0;                           // what it holds
  virtual void rename(const std::string& from, const std::string& to) = 0;  // replaces `to`
  virtual void remove(const std::string& name) = 0;
  virtual void sync_names() = 0;  // what was made, renamed and removed
  virtual std::vector<std::string> names() = 0;
  virtual std::optional<std::string> read(const std::string& name) = 0;  // nothing: not there
};

// A folder of this machine, made where it is missing.
class SystemFolder final : public CheckpointFolder {
 public:
  explicit SystemFolder(std::string path) : path_(std::move(path)) {}

  void write(const std::string& name, std::string_view bytes) override;
  void sync(const std::string& name) override;
  void rename(const std::string& from, const std::string& to) override;
  void remove(const std::string& name) override;
  void sync_names() override;
  std::vector<std::string> names() override;
  std::optional<std::string> read(const std::string& name) override;

 private:
  std::string path_;
};

}  // namespace muster::trainer
