// Device files of this machine: what they lead to, and which there are.
//
//   const DeviceFile null = TRY(device_file("/dev/null"));       // c 1:3
//   for (const DeviceFile& each : device_files_in("/dev")) …
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster {

struct DeviceFile {
  std::string path;
  char kind = 'c';  // or 'b'
  std::int64_t major = 0;
  std::int64_t minor = 0;
  std::uint32_t mode = 0666;
  std::uint32_t user = 0;
  std::uint32_t group = 0;

  friend bool operator==(const DeviceFile&, const DeviceFile&) = default;
};

// not_found when nothing is there, invalid when it is no device.
Result<DeviceFile> device_file(const std::string& path);

// In the folder itself, by name; terminals and what containers have of their own are left out.
std::vector<DeviceFile> device_files_in(const std::string& folder);

}  // namespace muster
