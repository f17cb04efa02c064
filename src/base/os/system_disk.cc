// SPDX-License-Identifier: Apache-2.0
#include "base/os/system_disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <string_view>
#include <utility>

#include "base/os/descriptor.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

constexpr mode_t file_mode = 0600;
constexpr mode_t folder_mode = 0700;

// off_t is signed: what lies beyond it cannot exist, but a damaged length may point there.
bool reachable(std::uint64_t offset, std::size_t length) {
  constexpr auto end = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
  return offset <= end && length <= end - offset;
}

class SystemFile final : public File {
 public:
  SystemFile(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    if (!reachable(offset, into.size())) return system_error("read", path_, EFBIG);
    std::size_t done = 0;
    while (done < into.size()) {
      const auto rest = into.subspan(done);
      const ssize_t got = retry([&] {
        return ::pread(file_.number(), rest.data(), rest.size(), static_cast<off_t>(offset + done));
      });
      if (got < 0) return system_error("read", path_, errno);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  Result<> write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (!reachable(offset, bytes.size())) return system_error("write", path_, EFBIG);
    while (!bytes.empty()) {
      const ssize_t written = retry([&] {
        return ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      });
      if (written < 0) return system_error("write", path_, errno);
      if (written == 0) return system_error("write", path_, EIO);
      offset += static_cast<std::uint64_t>(written);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
  }

  // fdatasync leaves out the times of the file and nothing that is needed to read it back.
  Result<> sync() override {
    if (retry([&] { return ::fdatasync(file_.number()); }) < 0) {
      return system_error("sync", path_, errno);
    }
    return {};
  }

  void begin_sync(std::uint64_t offset, std::uint64_t bytes) override {
    ::sync_file_range(file_.number(), static_cast<off_t>(offset), static_cast<off_t>(bytes),
                      SYNC_FILE_RANGE_WRITE);
  }

  Result<> truncate(std::uint64_t size) override {
    if (!reachable(size, 0)) return system_error("truncate", path_, EFBIG);
    if (retry([&] { return ::ftruncate(file_.number(), static_cast<off_t>(size)); }) < 0) {
      return system_error("truncate", path_, errno);
    }
    return {};
  }

  Result<std::uint64_t> size() override {
    struct stat status {};
    if (::fstat(file_.number(), &status) < 0) return system_error("stat", path_, errno);
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  Descriptor file_;
  std::string path_;
};

class SystemFileLock final : public FileLock {
 public:
  explicit SystemFileLock(Descriptor file) : file_(std::move(file)) {}

 private:
  Descriptor file_;
};

int flags_of(OpenMode mode) {
  switch (mode) {
    case OpenMode::read:
      return O_RDONLY;
    case OpenMode::read_write:
      return O_RDWR;
    case OpenMode::create:
      return O_RDWR | O_CREAT;
    case OpenMode::create_new:
      return O_RDWR | O_CREAT | O_EXCL;
  }
  check_failed("OpenMode", __FILE__, __LINE__, "every mode has its flags");
}

// A folder opens for reading like a file would, and every later call on it would fail strangely.
Result<Descriptor> open_file(const std::string& path, int flags) {
  Descriptor file(retry([&] { return ::open(path.c_str(), flags | O_CLOEXEC, file_mode); }));
  if (!file) return system_error("open", path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) < 0) return system_error("stat", path, errno);
  if (S_ISDIR(status.st_mode)) return system_error("open", path, EISDIR);
  return file;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Whether the folder is new.
Result<bool> make_one_folder(const std::string& path) {
  if (::mkdir(path.c_str(), folder_mode) == 0) return true;
  const int failure = errno;
  struct stat status {};
  if (failure == EEXIST && ::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return false;
    return system_error("make folder", path, ENOTDIR);
  }
  return system_error("make folder", path, failure);
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

void SystemDisk::submit(DiskLane lane_name, Task job, Executor& then_on, Task then) {
  EventLoop& loop = lane(lane_name);
  loop.post([&loop, lane_name, job = std::move(job), &then_on, lender = lender_,
             then = std::move(then)]() mutable {
    job();
    job = nullptr;  // what the job owns is gone before its completion can run elsewhere
    if (&then_on != lender || loop.has_posted()) return then_on.post(std::move(then));
    const bool was_alone =
        lender->post_or_run(std::move(then), [&loop] { return loop.has_posted(); });
    // Who waited for this commit alone will soon want the next one.
    if (was_alone && lane_name == DiskLane::commit) loop.linger();
  });
}

Result<std::unique_ptr<File>> SystemDisk::open(const std::string& path, OpenMode mode) {
  Descriptor file = TRY(open_file(path, flags_of(mode)));
  return std::make_unique<SystemFile>(std::move(file), path);
}

Result<bool> SystemDisk::exists(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return system_error("stat", path, errno);
}

Result<> SystemDisk::remove(const std::string& path) {
  if (::unlink(path.c_str()) < 0) return system_error("remove", path, errno);
  return {};
}

Result<> SystemDisk::rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return system_error("rename", fmt::format("{} to {}", from, to), errno);
}

Result<std::vector<std::string>> SystemDisk::list(const std::string& folder) {
  const std::unique_ptr<DIR, CloseFolder> open(::opendir(folder.c_str()));
  if (open == nullptr) return system_error("list", folder, errno);
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(open.get());
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return system_error("list", folder, errno);
  std::sort(names.begin(), names.end());
  return names;
}

Result<> SystemDisk::make_folder(const std::string& path) {
  if (path.empty()) return system_error("make folder", path, ENOENT);
  for (std::size_t end = path.find('/', 1); true; end = path.find('/', end + 1)) {
    const std::string folder = path.substr(0, end);
    if (TRY(make_one_folder(folder))) TRY(sync_folder(folder_of(folder)));
    if (end == std::string::npos) return {};
  }
}

// Some file systems have no sync of folders and say EINVAL; then there is nothing to wait for.
Result<> SystemDisk::sync_folder(const std::string& path) {
  const Descriptor folder(
      retry([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!folder) return system_error("open", path, errno);
  if (retry([&] { return ::fsync(folder.number()); }) < 0 && errno != EINVAL) {
    return system_error("sync", path, errno);
  }
  return {};
}

Result<std::unique_ptr<FileLock>> SystemDisk::lock(const std::string& path) {
  Descriptor file = TRY(open_file(path, O_RDWR | O_CREAT));
  // Of the open file, not of the process; and seen by others who ask with fcntl, as SQLite does.
  struct flock whole_file {};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  if (retry([&] { return ::fcntl(file.number(), F_OFD_SETLK, &whole_file); }) < 0) {
    if (errno != EAGAIN && errno != EACCES) return system_error("lock", path, errno);
    return Error{ErrorCode::conflict, fmt::format("lock {}: held by somebody else", path)};
  }
  return std::make_unique<SystemFileLock>(std::move(file));
}

}  // namespace muster
