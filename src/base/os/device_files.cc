// SPDX-License-Identifier: Apache-2.0
#include "base/os/device_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/os/folders.h"
#include "base/os/system_error.h"

namespace muster {

Result<DeviceFile> device_file(const std::string& path) {
  constexpr mode_t permissions = 0777;
  struct stat status {};
  if (::stat(path.c_str(), &status) < 0) return system_error("stat", path, errno);
  const bool is_block = S_ISBLK(status.st_mode);
  if (!is_block && !S_ISCHR(status.st_mode)) {
    return Error::invalid(fmt::format("{} is no device", path));
  }
  return DeviceFile{.path = path,
                    .kind = is_block ? 'b' : 'c',
                    .major = static_cast<std::int64_t>(major(status.st_rdev)),
                    .minor = static_cast<std::int64_t>(minor(status.st_rdev)),
                    .mode = status.st_mode & permissions,
                    .user = status.st_uid,
                    .group = status.st_gid};
}

std::vector<DeviceFile> device_files_in(const std::string& folder) {
  std::vector<DeviceFile> files;
  for (const std::string& name : names_in_folder(folder).value_or(std::vector<std::string>{})) {
    if (name == "console" || name == "ptmx" || name.starts_with("tty")) continue;
    if (auto file = device_file(fmt::format("{}/{}", folder, name)))
      files.push_back(std::move(*file));
  }
  return files;
}

}  // namespace muster
