// SPDX-License-Identifier: Apache-2.0
#include "base/os/container_mounts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/os/descriptor.h"
#include "base/os/files.h"
#include "base/os/sandbox_root.h"
#include "base/os/system_error.h"

namespace muster {

Result<> enter_own_mounts() {
  if (::unshare(CLONE_NEWNS) < 0) return system_error("make a mount namespace", "", errno);
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) < 0) {
    return system_error("keep mounts private", "", errno);
  }
  return {};
}

// The options are one text, in which commas and colons mean something.
Result<> mount_layers(const Layers& layers) {
  for (const std::string* path : {&layers.lower, &layers.upper, &layers.work}) {
    if (path->find_first_of(",:\\") == std::string::npos) continue;
    return Error::invalid(
        fmt::format("mount {}: a path with commas, colons or backslashes cannot "
                    "be a layer of a container",
                    *path));
  }
  const std::string options =
      fmt::format("lowerdir={},upperdir={},workdir={}", layers.lower, layers.upper, layers.work);
  if (::mount("overlay", layers.target.c_str(), "overlay", 0, options.c_str()) < 0) {
    return system_error("mount layers on", layers.target, errno);
  }
  return {};
}

Result<> bind_below(const std::string& folder, const std::string& below,
                    const std::string& target) {
  const Descriptor found = TRY(open_below(folder, below));
  struct stat status {};
  if (::fstat(found.number(), &status) < 0) return system_error("stat", below, errno);
  if (S_ISDIR(status.st_mode)) {
    if (::mkdir(target.c_str(), 0700) < 0 && errno != EEXIST) {
      return system_error("make folder", target, errno);
    }
  } else {
    const Descriptor file(::open(target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!file) return system_error("make file", target, errno);
  }
  const std::string source = fmt::format("/proc/self/fd/{}", found.number());
  if (::mount(source.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) < 0) {
    return system_error(fmt::format("bind {} to", below), target, errno);
  }
  return {};
}

void unmount_at(const std::string& target) {
  while (::umount2(target.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) {
  }
}

Result<std::string> read_file_in_root(const std::string& root, const std::string& path,
                                      std::size_t bytes_max) {
  const Descriptor folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return system_error("open", root, errno);
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const Descriptor file(static_cast<int>(retry(
      [&] { return ::syscall(SYS_openat2, folder.number(), path.c_str(), &how, sizeof how); })));
  if (!file) return system_error("open", path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) < 0 || !S_ISREG(status.st_mode)) {
    return Error::invalid(fmt::format("{} is no file", path));
  }
  return read_whole_file(fmt::format("/proc/self/fd/{}", file.number()), bytes_max);
}

}  // namespace muster
