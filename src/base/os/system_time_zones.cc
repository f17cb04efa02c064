// SPDX-License-Identifier: Apache-2.0
#include "base/os/system_time_zones.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/os/files.h"

namespace muster {

namespace {

// A name never leads out of the folder.
bool is_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return is_alnum(c) || c == '/' || c == '_' || c == '-' || c == '+';
  };
  return !name.empty() && name.front() != '/' && std::all_of(name.begin(), name.end(), is_plain);
}

}  // namespace

const TimeZone* SystemTimeZones::find(std::string_view name) {
  if (const auto found = known_.find(name); found != known_.end()) return &found->second;
  if (!is_name(name)) return nullptr;
  const auto bytes = read_whole_file(folder_ + "/" + std::string(name), time_zone_bytes_max);
  if (!bytes) return nullptr;
  auto zone = TimeZone::parse(*bytes);
  if (!zone) return nullptr;
  return &known_.emplace(std::string(name), std::move(*zone)).first->second;
}

}  // namespace muster
