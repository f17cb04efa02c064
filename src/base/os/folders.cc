// SPDX-License-Identifier: Apache-2.0
#include "base/os/folders.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include "base/os/system_error.h"

namespace muster {

namespace {

constexpr mode_t file_mode = 0600;
constexpr mode_t folder_mode = 0700;
constexpr int depth_max = 1'000;  // of a tree that is removed: a descriptor is open per level

Result<> write_all(int file, const std::string& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = retry([&] { return ::write(file, text.data(), text.size()); });
    if (written < 0) return system_error("write", path, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseFolder>;

// Opens what the name is, if it is a folder and no link to one. One that its owner locked himself
// out of is opened up first.
OpenFolder open_below(int parent, const char* name) {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor folder(::openat(parent, name, flags));
  if (!folder && errno == EACCES && ::fchmodat(parent, name, folder_mode, 0) == 0) {
    folder = Descriptor(::openat(parent, name, flags));
  }
  if (!folder) return nullptr;
  const int number = ::fcntl(folder.number(), F_DUPFD_CLOEXEC, 0);
  DIR* opened = number < 0 ? nullptr : ::fdopendir(number);
  if (opened == nullptr && number >= 0) ::close(number);
  return OpenFolder(opened);
}

bool is_dots(std::string_view name) {
  return name == "." || name == "..";
}

Result<> remove_below(int parent, const char* name, const std::string& path, int depth) {
  if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM && errno != EACCES) {
    return system_error("remove", path, errno);
  }
  if (depth > depth_max) return Error::too_large(fmt::format("remove {}: too deep", path));
  const OpenFolder folder = open_below(parent, name);
  if (folder == nullptr) return system_error("open", path, errno);
  ::fchmod(::dirfd(folder.get()), folder_mode);  // a folder without w keeps its entries
  while (const dirent* entry = ::readdir(folder.get())) {
    if (is_dots(entry->d_name)) continue;
    TRY(remove_below(::dirfd(folder.get()), entry->d_name, path, depth + 1));
  }
  if (::unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT) {
    return system_error("remove", path, errno);
  }
  return {};
}

}  // namespace

Result<> make_folders(const std::string& path) {
  if (::mkdir(path.c_str(), folder_mode) == 0 || errno == EEXIST) return {};
  for (std::size_t end = path.find('/', 1); true; end = path.find('/', end + 1)) {
    const std::string folder = path.substr(0, end);
    if (::mkdir(folder.c_str(), folder_mode) < 0 && errno != EEXIST) {
      return system_error("make folder", folder, errno);
    }
    if (end == std::string::npos) return {};
  }
}

Result<> replace_file(const std::string& path, std::string_view text, Durable durable) {
  const std::string fresh = path + ".new";
  const Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, file_mode));
  if (!file) return system_error("open", fresh, errno);
  TRY(write_all(file.number(), fresh, text));
  if (durable == Durable::yes && ::fdatasync(file.number()) < 0) {
    return system_error("sync", fresh, errno);
  }
  return rename_file(fresh, path);
}

bool path_exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

Result<std::vector<std::string>> names_in_folder(const std::string& path) {
  const OpenFolder folder(::opendir(path.c_str()));
  if (folder == nullptr) return system_error("list", path, errno);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (!is_dots(entry->d_name)) names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<> remove_folder_tree(const std::string& path) {
  return remove_below(AT_FDCWD, path.c_str(), path, 0);
}

namespace {

std::uint64_t bytes_below(const Descriptor& folder, int depth) {
  std::uint64_t bytes = 0;
  const OpenFolder entries(::fdopendir(::dup(folder.number())));
  if (entries == nullptr) return bytes;
  while (const dirent* entry = ::readdir(entries.get())) {
    struct stat status {};
    if (is_dots(entry->d_name) ||
        ::fstatat(folder.number(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
      continue;
    }
    bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
    if (!S_ISDIR(status.st_mode) || depth >= depth_max) continue;
    const Descriptor below(
        ::openat(folder.number(), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (below) bytes += bytes_below(below, depth + 1);
  }
  return bytes;
}

}  // namespace

std::uint64_t folder_tree_bytes(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return folder ? bytes_below(folder, 0) : 0;
}

Result<Descriptor> open_for_append(const std::string& path) {
  Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, file_mode));
  if (!file) return system_error("open", path, errno);
  return file;
}

Result<Descriptor> open_folder(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return system_error("open", path, errno);
  return folder;
}

Result<Descriptor> open_null() {
  Descriptor file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!file) return system_error("open", "/dev/null", errno);
  return file;
}

Result<> append_text(const Descriptor& file, std::string_view text) {
  return write_all(file.number(), "", text);
}

Result<std::uint64_t> file_bytes(const Descriptor& file) {
  struct stat status {};
  if (::fstat(file.number(), &status) < 0) return system_error("stat", "", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

Result<> mount_memory(const std::string& folder, std::int64_t bytes_max) {
  const std::string options =
      bytes_max > 0 ? fmt::format("mode=0777,size={}", bytes_max) : std::string("mode=0777");
  if (::mount("tmpfs", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0) {
    return {};
  }
  return system_error("mount memory on", folder, errno);
}

void unmount_memory_in(const std::string& folder) {
  for (const std::string& name : names_in_folder(folder).value_or(std::vector<std::string>{})) {
    const std::string path = fmt::format("{}/{}", folder, name);
    ::umount2(path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  }
}

Result<> set_group(const std::string& path, std::uint32_t group) {
  if (::chown(path.c_str(), static_cast<uid_t>(-1), group) == 0) return {};
  return system_error("change the group of", path, errno);
}

Result<> set_mode(const std::string& path, std::uint32_t mode) {
  if (::chmod(path.c_str(), mode) < 0) return system_error("change the mode of", path, errno);
  return {};
}

Result<> rename_file(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return system_error("rename", fmt::format("{} to {}", from, to), errno);
}

Result<Descriptor> lock_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, file_mode));
  if (!file) return system_error("open", path, errno);
  struct flock whole_file {};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  if (retry([&] { return ::fcntl(file.number(), F_OFD_SETLK, &whole_file); }) == 0) return file;
  if (errno != EAGAIN && errno != EACCES) return system_error("lock", path, errno);
  return Error{ErrorCode::conflict, fmt::format("lock {}: held by somebody else", path)};
}

Result<std::string> canonical_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> found(::realpath(path.c_str(), nullptr),
                                                          &std::free);
  if (found == nullptr) return system_error("find", path, errno);
  return std::string(found.get());
}

}  // namespace muster
