// SPDX-License-Identifier: Apache-2.0
#include "examples/trainer/checkpoint_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace muster::trainer {

namespace {

void sync_path(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = file >= 0 && ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  if (!done) throw std::runtime_error("cannot sync " + path);
}

}  // namespace

void SystemFolder::write(const std::string& name, std::string_view bytes) {
  std::filesystem::create_directories(path_);
  std::ofstream out(path_ + "/" + name, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path_ + "/" + name);
}

void SystemFolder::sync(const std::string& name) {
  sync_path(path_ + "/" + name);
}

void SystemFolder::rename(const std::string& from, const std::string& to) {
  std::filesystem::rename(path_ + "/" + from, path_ + "/" + to);
}

void SystemFolder::remove(const std::string& name) {
  std::filesystem::remove(path_ + "/" + name);
}

void SystemFolder::sync_names() {
  sync_path(path_);
}

std::vector<std::string> SystemFolder::names() {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(path_, missing)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

std::optional<std::string> SystemFolder::read(const std::string& name) {
  std::ifstream in(path_ + "/" + name, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace muster::trainer
