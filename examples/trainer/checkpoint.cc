// SPDX-License-Identifier: Apache-2.0
#include "examples/trainer/checkpoint.h"

#include <charconv>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace muster::trainer {

namespace {

constexpr std::uint64_t magic = 0x3154504b43534d00U;  // the format's name and version
constexpr std::string_view prefix = "step-";
constexpr std::string_view suffix = ".checkpoint";
constexpr std::string_view unfinished = ".new";

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

std::string bytes_of(const Checkpoint& checkpoint) {
  const Header header{magic, checkpoint.step, checkpoint.parameters.size(), checksum(checkpoint)};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(checkpoint.parameters.data()),
               checkpoint.parameters.size() * sizeof(float));
  return bytes;
}

std::optional<Checkpoint> read(CheckpointFolder& folder, const std::string& name,
                               std::size_t parameter_count) {
  const auto bytes = folder.read(name);
  Header header;
  if (!bytes || bytes->size() != sizeof header + parameter_count * sizeof(float)) {
    return std::nullopt;
  }
  std::memcpy(&header, bytes->data(), sizeof header);
  if (header.magic != magic || header.count != parameter_count) return std::nullopt;
  Checkpoint checkpoint{header.step, std::vector<float>(parameter_count)};
  std::memcpy(checkpoint.parameters.data(), bytes->data() + sizeof header,
              parameter_count * sizeof(float));
  if (checksum(checkpoint) != header.checksum) return std::nullopt;
  return checkpoint;
}

// Names of checkpoints by their step.
std::map<std::uint64_t, std::string> all(CheckpointFolder& folder) {
  std::map<std::uint64_t, std::string> found;
  for (const std::string& name : folder.names()) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    std::uint64_t step = 0;
    const char* end = name.data() + name.size() - suffix.size();
    const auto read = std::from_chars(name.data() + prefix.size(), end, step);
    if (read.ec == std::errc() && read.ptr == end) found.emplace(step, name);
  }
  return found;
}

// Older ones than the newest good ones, and what was never finished.
void clean(CheckpointFolder& folder, std::uint64_t newest_step) {
  auto older = all(folder);
  older.erase(older.lower_bound(newest_step), older.end());
  while (older.size() >= checkpoints_kept) {
    folder.remove(older.begin()->second);
    older.erase(older.begin());
  }
  for (const std::string& name : folder.names()) {
    if (name.starts_with(prefix) && name.ends_with(unfinished)) folder.remove(name);
  }
}

}  // namespace

void save(CheckpointFolder& folder, const Checkpoint& checkpoint) {
  const std::string name =
      std::string(prefix) + std::to_string(checkpoint.step) + std::string(suffix);
  const std::string beside = name + std::string(unfinished);
  folder.write(beside, bytes_of(checkpoint));
  folder.sync(beside);
  folder.rename(beside, name);
  folder.sync_names();
  if (!read(folder, name, checkpoint.parameters.size())) {
    throw std::runtime_error(name + " is not what was written");
  }
  clean(folder, checkpoint.step);
}

std::optional<Checkpoint> newest(CheckpointFolder& folder, std::size_t parameter_count) {
  const auto found = all(folder);
  for (auto each = found.rbegin(); each != found.rend(); ++each) {
    if (auto whole = read(folder, each->second, parameter_count)) return whole;
  }
  return std::nullopt;
}

}  // namespace muster::trainer
