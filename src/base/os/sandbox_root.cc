// SPDX-License-Identifier: Apache-2.0
#include "base/os/sandbox_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/folders.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

// The new root is assembled where /tmp was: every sandbox has a /tmp of its own anyway, and what
// lies below the machine's own was opened before it is covered.
const std::string staging = "/tmp";
constexpr std::array own_folders = {"proc", "sys", "dev", "tmp", "run"};
constexpr std::array private_places = {"/tmp", "/run", "/var/tmp"};
constexpr std::array devices = {"null", "zero", "full", "random", "urandom", "tty"};
constexpr unsigned long quiet = MS_NOSUID | MS_NODEV;

Result<> mount_at(const char* kind, const std::string& target, unsigned long flags,
                  const char* options) {
  if (::mount(kind, target.c_str(), kind, flags, options) == 0) return {};
  return system_error(fmt::format("mount {} on", kind), target, errno);
}

Result<> bind_to(const std::string& source, const std::string& target) {
  if (::mount(source.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0) return {};
  return system_error(fmt::format("bind {} to", source), target, errno);
}

Result<> make_folder(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return {};
  return system_error("make folder", path, errno);
}

Result<> make_empty_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0444));
  if (file) return {};
  return system_error("make file", path, errno);
}

Result<> set_attributes(const std::string& path, std::uint64_t set, std::uint64_t clear,
                        unsigned flags) {
  mount_attr attributes{};
  attributes.attr_set = set;
  attributes.attr_clr = clear;
  if (::mount_setattr(AT_FDCWD, path.c_str(), flags, &attributes, sizeof attributes) == 0) {
    return {};
  }
  return system_error("protect", path, errno);
}

// A mount of its own, not yet at any place: it outlives the covering of its path.
struct Source {
  Descriptor mount;
  bool is_folder = false;
};

int open_beneath(const Descriptor& folder, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(retry(
      [&] { return ::syscall(SYS_openat2, folder.number(), path.c_str(), &how, sizeof how); }));
}

Result<Source> open_source(const SandboxMount& mount) {
  constexpr unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE;
  const std::string& path = mount.source;
  Source source;
  if (mount.below.empty()) {
    source.mount = Descriptor(::open_tree(AT_FDCWD, path.c_str(), flags));
  } else {
    const Descriptor found = TRY(open_below(path, mount.below));
    source.mount = Descriptor(::open_tree(found.number(), "", flags | AT_EMPTY_PATH));
  }
  if (!source.mount) return system_error("open", path, errno);
  struct stat status {};
  if (::fstat(source.mount.number(), &status) < 0) return system_error("stat", path, errno);
  source.is_folder = S_ISDIR(status.st_mode);
  return source;
}

// ---- Before the root changes -------------------------------------------------------------------

// The links of a merged /usr are copied, folders are bound; loose files in / are left out.
Result<> take_over_entry(const std::string& name) {
  const std::string from = "/" + name;
  const std::string to = staging + "/" + name;
  struct stat status {};
  if (::lstat(from.c_str(), &status) < 0) return {};
  if (S_ISLNK(status.st_mode)) {
    std::string link(PATH_MAX, '\0');
    const ssize_t size = ::readlink(from.c_str(), link.data(), link.size());
    if (size < 0) return system_error("read link", from, errno);
    link.resize(static_cast<std::size_t>(size));
    if (::symlink(link.c_str(), to.c_str()) < 0) return system_error("make link", to, errno);
    return {};
  }
  if (!S_ISDIR(status.st_mode)) return {};
  TRY(make_folder(to, 0755));
  return bind_to(from, to);
}

Result<> take_over_machine(bool own_network) {
  TRY(mount_at("tmpfs", staging, quiet, "mode=0755"));
  for (const std::string& name : TRY(names_in_folder("/"))) {
    if (std::find(own_folders.begin(), own_folders.end(), name) != own_folders.end()) continue;
    TRY(take_over_entry(name));
  }
  // The machine's /sys shows the network devices of its own namespace, a fresh one ours.
  TRY(make_folder(staging + "/sys", 0755));
  const bool fresh =
      own_network && mount_at("sysfs", staging + "/sys", quiet | MS_RDONLY, nullptr).has_value();
  if (!fresh) TRY(bind_to("/sys", staging + "/sys"));
  constexpr auto protect = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  TRY(set_attributes(staging, protect, 0, AT_RECURSIVE));
  return set_attributes(staging, 0, MOUNT_ATTR_RDONLY, 0);  // until it is finished
}

Result<> bind_device(const std::string& source, const std::string& target) {
  for (std::size_t slash = target.find('/', staging.size() + 5); slash != std::string::npos;
       slash = target.find('/', slash + 1)) {
    TRY(make_folder(target.substr(0, slash), 0755));
  }
  TRY(make_empty_file(target));
  return bind_to(source, target);
}

Result<> make_devices(const SandboxSpec& spec) {
  const std::string& terminal = spec.terminal_path;
  const std::string folder = staging + "/dev";
  TRY(make_folder(folder, 0755));
  TRY(mount_at("tmpfs", folder, MS_NOSUID | MS_NOEXEC, "mode=0755,size=64k"));
  for (const std::string_view name : devices) {
    const std::string source = fmt::format("/dev/{}", name);
    if (!path_exists(source)) continue;
    const std::string target = fmt::format("{}/{}", folder, name);
    TRY(make_empty_file(target));
    TRY(bind_to(source, target));
  }
  for (const auto& [source, target] : spec.devices) {
    const bool climbs = (target + "/").find("/../") != std::string::npos;
    if (!target.starts_with("/dev/") || climbs) {
      return Error::invalid(fmt::format("{}: a device lies below /dev", target));
    }
    TRY(bind_device(source, staging + target));
  }
  constexpr std::array<std::array<const char*, 2>, 5> links = {{{"/proc/self/fd", "fd"},
                                                                {"/proc/self/fd/0", "stdin"},
                                                                {"/proc/self/fd/1", "stdout"},
                                                                {"/proc/self/fd/2", "stderr"},
                                                                {"pts/ptmx", "ptmx"}}};
  for (const auto& [to, name] : links) {
    const std::string path = fmt::format("{}/{}", folder, name);
    if (::symlink(to, path.c_str()) < 0) return system_error("make link", path, errno);
  }
  if (!terminal.empty()) {
    TRY(make_empty_file(folder + "/console"));
    TRY(bind_to(terminal, folder + "/console"));
  }
  TRY(make_empty_file(folder + "/termination-log"));  // where last words are mounted
  TRY(make_folder(folder + "/pts", 0755));
  TRY(mount_at("devpts", folder + "/pts", MS_NOSUID | MS_NOEXEC,
               "newinstance,ptmxmode=0666,mode=0620"));
  TRY(make_folder(folder + "/shm", 01777));
  TRY(mount_at("tmpfs", folder + "/shm", quiet, "mode=1777"));
  return set_attributes(folder, MOUNT_ATTR_RDONLY, 0, 0);
}

Result<> make_private_places(const SandboxSpec& spec) {
  TRY(make_devices(spec));
  TRY(make_folder(staging + "/proc", 0555));
  TRY(mount_at("proc", staging + "/proc", quiet | MS_NOEXEC, nullptr));
  TRY(make_folder(staging + "/tmp", 01777));
  TRY(mount_at("tmpfs", staging + "/tmp", quiet, "mode=1777"));
  TRY(make_folder(staging + "/run", 0755));
  TRY(mount_at("tmpfs", staging + "/run", quiet, "mode=0755"));
  if (!path_exists(staging + "/var/tmp")) return {};
  return mount_at("tmpfs", staging + "/var/tmp", quiet, "mode=1777");
}

// Both at the same place: the old root lies over the new one for a moment, and then nowhere.
Result<> change_root() {
  if (::chdir(staging.c_str()) < 0) return system_error("enter", staging, errno);
  if (::syscall(SYS_pivot_root, ".", ".") < 0) return system_error("change the root", "", errno);
  if (::umount2(".", MNT_DETACH) < 0) return system_error("leave the old root", "", errno);
  if (::chdir("/") < 0) return system_error("enter", "/", errno);
  return {};
}

// ---- In the new root ---------------------------------------------------------------------------

// Makes places to mount on, also below folders that are read-only: those get a layer over them
// that can be written until it is sealed.
class MountPoints {
 public:
  Result<> make(const std::string& path, bool folder, int links_left = 8) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) {
      if (S_ISDIR(status.st_mode) == folder) return {};
      return Error::invalid(
          fmt::format("mount on {}: a {} is there", path, folder ? "file" : "folder"));
    }
    if (::lstat(path.c_str(), &status) == 0) return make_behind_link(path, folder, links_left);
    TRY(make_writable(path));
    const std::size_t slash = path.rfind('/');
    if (slash > 0) TRY(make(path.substr(0, slash), true, links_left));
    if (!folder) return make_empty_file(path);
    return make_folder(path, 0755);
  }

  Result<> seal() {
    for (const std::string& path : layered_) TRY(set_attributes(path, MOUNT_ATTR_RDONLY, 0, 0));
    if (!scratch_) return {};
    if (::umount2(scratch_folder, MNT_DETACH) < 0) {
      return system_error("leave", scratch_folder, errno);
    }
    ::rmdir(scratch_folder);
    return {};
  }

 private:
  static constexpr const char* scratch_folder = "/.muster";

  // A link to a place that is not there, such as resolv.conf into /run.
  Result<> make_behind_link(const std::string& path, bool folder, int links_left) {
    if (links_left == 0) return system_error("follow", path, ELOOP);
    std::string link(PATH_MAX, '\0');
    const ssize_t size = ::readlink(path.c_str(), link.data(), link.size());
    if (size <= 0) return system_error("read link", path, errno);
    link.resize(static_cast<std::size_t>(size));
    if (link.front() != '/') link = path.substr(0, path.rfind('/') + 1) + link;
    return make(link, folder, links_left - 1);
  }

  // Puts a layer over the deepest folder above the path that exists, if it cannot be written.
  Result<> make_writable(const std::string& path) {
    std::string above = path;
    do {
      above.resize(above.rfind('/'));
    } while (!above.empty() && !path_exists(above));
    if (above.empty() || ::access(above.c_str(), W_OK) == 0) return {};
    if (above.find_first_of(",:\\") != std::string::npos) {
      return Error::invalid(fmt::format("mount on {}: cannot make it below {}", path, above));
    }
    if (!scratch_) {
      TRY(make_folder(scratch_folder, 0700));
      TRY(mount_at("tmpfs", scratch_folder, quiet, "mode=0700"));
      scratch_ = true;
    }
    const std::string upper = fmt::format("{}/upper{}", scratch_folder, layered_.size());
    const std::string work = fmt::format("{}/work{}", scratch_folder, layered_.size());
    TRY(make_folder(upper, 0755));
    TRY(make_folder(work, 0755));
    const std::string options =
        fmt::format("lowerdir={},upperdir={},workdir={},userxattr", above, upper, work);
    TRY(mount_at("overlay", above, quiet, options.c_str()));
    layered_.push_back(above);
    return {};
  }

  bool scratch_ = false;
  std::vector<std::string> layered_;
};

Result<> hide(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) < 0) return {};
  if (!S_ISDIR(status.st_mode)) return bind_to("/dev/null", path);
  return mount_at("tmpfs", path, quiet | MS_RDONLY, "mode=0555,size=4k");
}

bool is_below(const std::string& path, std::string_view folder) {
  return path == folder || path.starts_with(std::string(folder) + "/");
}

Result<std::string> checked_target(const std::string& target) {
  std::string path = target;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const bool climbs = (path + "/").find("/../") != std::string::npos;
  if (path.size() < 2 || path.front() != '/' || climbs || is_below(path, "/proc") ||
      is_below(path, "/sys") || path == "/dev") {
    return Error::invalid(fmt::format("mount on {}: nothing can be mounted there", target));
  }
  return path;
}

Result<> place(const Source& source, const SandboxMount& mount, MountPoints& points) {
  const std::string target = TRY(checked_target(mount.target));
  TRY(points.make(target, source.is_folder));
  if (::move_mount(source.mount.number(), "", AT_FDCWD, target.c_str(),
                   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS) < 0) {
    return system_error(fmt::format("mount {} on", mount.source), target, errno);
  }
  std::uint64_t protect = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (mount.read_only) protect |= MOUNT_ATTR_RDONLY;
  return set_attributes(target, protect, 0, AT_RECURSIVE);
}

// One that is not there is made, private and writable, as container runtimes do.
Result<> make_working_folder(const std::string& path, MountPoints& points) {
  if (path_exists(path)) return {};
  const std::string target = TRY(checked_target(path));
  TRY(points.make(target, true));
  return mount_at("tmpfs", target, quiet, "mode=0755");
}

}  // namespace

Result<Descriptor> open_below(const std::string& folder, const std::string& below) {
  Descriptor at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!at) return system_error("open", folder, errno);
  const Descriptor root(::fcntl(at.number(), F_DUPFD_CLOEXEC, 0));
  for (std::size_t begin = 0; begin < below.size();) {
    const std::size_t end = std::min(below.find('/', begin), below.size());
    const std::string path = below.substr(0, end);
    int next = open_beneath(root, path);
    if (next < 0 && errno == ENOENT) {
      // A link that leads nowhere is no name that can be made.
      const std::string name = below.substr(begin, end - begin);
      if (::mkdirat(at.number(), name.c_str(), 0755) == 0) next = open_beneath(root, path);
    }
    if (next < 0) return system_error(fmt::format("open {} in", path), folder, errno);
    at = Descriptor(next);
    begin = end + 1;
  }
  return at;
}

Result<> build_sandbox_root(const SandboxSpec& spec) {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) < 0) {
    return system_error("keep mounts private", "", errno);
  }
  std::vector<Source> sources;
  for (const SandboxMount& mount : spec.mounts) sources.push_back(TRY(open_source(mount)));
  TRY(take_over_machine(spec.own_network));
  TRY(make_private_places(spec));
  TRY(change_root());
  for (const std::string& path : spec.hidden) TRY(hide(path));
  MountPoints points;
  for (std::size_t i = 0; i < sources.size(); ++i) TRY(place(sources[i], spec.mounts[i], points));
  TRY(make_working_folder(spec.working_folder, points));
  TRY(points.seal());
  if (spec.is_read_only) {
    for (const char* path : private_places) {
      if (path_exists(path)) TRY(set_attributes(path, MOUNT_ATTR_RDONLY, 0, 0));
    }
  }
  return set_attributes("/", MOUNT_ATTR_RDONLY, 0, 0);
}

Result<> enter_empty_root() {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) < 0) {
    return system_error("keep mounts private", "", errno);
  }
  TRY(mount_at("tmpfs", staging, quiet | MS_RDONLY, "mode=0555,size=4k"));
  return change_root();
}

}  // namespace muster
