// SPDX-License-Identifier: Apache-2.0
#include "examples/trainer/checkpoint.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace muster::trainer {

namespace {

constexpr std::uint64_t magic = 0x3154504b43534d00U;  // the format's name and version
constexpr std::string_view suffix = ".checkpoint";

struct Header {
  std::uint64_t magic = 0;
  std::uint64_t step = 0;
  std::uint64_t count = 0;
  std::uint64_t checksum = 0;
};

std::uint64_t checksum(const Checkpoint& checkpoint) {
  std::uint64_t sum = 0xcbf29ce484222325U ^ checkpoint.step;  // FNV-1a over the bytes
  const auto* bytes = reinterpret_cast<const unsigned char*>(checkpoint.parameters.data());
  for (std::size_t i = 0; i < checkpoint.parameters.size() * sizeof(float); ++i) {
    sum = (sum ^ bytes[i]) * 0x100000001b3U;
  }
  return sum;
}

void sync(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = file >= 0 && ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  if (!done) throw std::runtime_error("cannot sync " + path);
}

std::optional<Checkpoint> read(const std::string& path, std::size_t parameter_count) {
  std::ifstream in(path, std::ios::binary);
  Header header;
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!in || header.magic != magic || header.count != parameter_count) return std::nullopt;
  Checkpoint checkpoint{header.step, std::vector<float>(parameter_count)};
  in.read(reinterpret_cast<char*>(checkpoint.parameters.data()),
          static_cast<std::streamsize>(parameter_count * sizeof(float)));
  if (!in || checksum(checkpoint) != header.checksum) return std::nullopt;
  return checkpoint;
}

}  // namespace

void save(const std::string& folder, const Checkpoint& checkpoint) {
  std::filesystem::create_directories(folder);
  const std::string path =
      folder + "/step-" + std::to_string(checkpoint.step) + std::string(suffix);
  const std::string beside = path + ".new";
  const Header header{magic, checkpoint.step, checkpoint.parameters.size(), checksum(checkpoint)};
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(&header), sizeof header);
  out.write(reinterpret_cast<const char*>(checkpoint.parameters.data()),
            static_cast<std::streamsize>(checkpoint.parameters.size() * sizeof(float)));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + beside);
  sync(beside);
  std::filesystem::rename(beside, path);
  sync(folder);
}

std::optional<Checkpoint> newest(const std::string& folder, std::size_t parameter_count) {
  std::optional<Checkpoint> best;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    if (entry.path().extension() != suffix) continue;
    auto found = read(entry.path().string(), parameter_count);
    if (found && (!best || found->step > best->step)) best = std::move(found);
  }
  return best;
}

}  // namespace muster::trainer
