// SPDX-License-Identifier: Apache-2.0
#include "base/os/published_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <set>
#include <string_view>

#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

constexpr std::string_view current_name = "..data";
constexpr std::uint32_t folder_mode = 0755;

// Where the link leads; empty where there is none.
std::string link_target(const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  target.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return target;
}

std::string_view first_part(std::string_view path) {
  return path.substr(0, path.find('/'));
}

Result<std::size_t> count_files(const std::string& folder) {
  std::size_t count = 0;
  for (const std::string& name : TRY(names_in_folder(folder))) {
    struct stat status {};
    const std::string path = fmt::format("{}/{}", folder, name);
    if (::lstat(path.c_str(), &status) < 0) return system_error("stat", path, errno);
    count += S_ISDIR(status.st_mode) ? TRY(count_files(path)) : 1;
  }
  return count;
}

bool is_same(const std::string& folder, const PublishedFile& file) {
  const std::string path = folder + "/" + file.path;
  struct stat status {};
  if (::lstat(path.c_str(), &status) < 0 || !S_ISREG(status.st_mode)) return false;
  if ((status.st_mode & 07777U) != file.mode) return false;
  if (static_cast<std::size_t>(status.st_size) != file.bytes.size()) return false;
  const auto bytes = read_whole_file(path, file.bytes.size() + 1);
  return bytes && *bytes == file.bytes;
}

bool are_same(const std::string& folder, std::span<const PublishedFile> files) {
  const auto count = count_files(folder);
  if (!count || *count != files.size()) return false;
  for (const PublishedFile& file : files) {
    if (!is_same(folder, file)) return false;
  }
  return true;
}

Result<> write_version(const std::string& folder, std::span<const PublishedFile> files) {
  TRY(remove_folder_tree(folder));  // of a writer that was killed
  TRY(make_folders(folder));
  TRY(set_mode(folder, folder_mode));
  for (const PublishedFile& file : files) {
    for (std::size_t end = file.path.find('/'); end != std::string::npos;
         end = file.path.find('/', end + 1)) {
      const std::string inner = folder + "/" + file.path.substr(0, end);
      if (path_exists(inner)) continue;
      TRY(make_folders(inner));
      TRY(set_mode(inner, folder_mode));
    }
    const std::string path = folder + "/" + file.path;
    TRY(replace_file(path, file.bytes, Durable::no));
    TRY(set_mode(path, file.mode));
  }
  return {};
}

Result<> replace_link(const std::string& target, const std::string& path) {
  const std::string fresh = path + "_tmp";
  ::unlink(fresh.c_str());
  if (::symlink(target.c_str(), fresh.c_str()) < 0) return system_error("link", fresh, errno);
  return rename_file(fresh, path);
}

// `..3` after `..2`.
std::string version_after(std::string_view current) {
  std::uint64_t number = 0;
  if (current.starts_with("..")) {
    current.remove_prefix(2);
    std::from_chars(current.data(), current.data() + current.size(), number);
  }
  return fmt::format("..{}", number + 1);
}

// A link for each first part, and none for those that went.
Result<> show_names(const std::string& folder, std::span<const PublishedFile> files) {
  std::set<std::string, std::less<>> names;
  for (const PublishedFile& file : files) names.emplace(first_part(file.path));
  for (const std::string& name : names) {
    const std::string path = fmt::format("{}/{}", folder, name);
    const std::string target = fmt::format("{}/{}", current_name, name);
    if (link_target(path) != target) TRY(replace_link(target, path));
  }
  for (const std::string& name : TRY(names_in_folder(folder))) {
    if (name.starts_with("..") || names.contains(name)) continue;
    TRY(remove_folder_tree(fmt::format("{}/{}", folder, name)));
  }
  return {};
}

}  // namespace

Result<> publish_files(const std::string& folder, std::span<const PublishedFile> files) {
  const std::string current_path = fmt::format("{}/{}", folder, current_name);
  const std::string current = link_target(current_path);
  if (!current.empty() && are_same(folder + "/" + current, files)) {
    return show_names(folder, files);
  }
  const std::string next = version_after(current);
  TRY(write_version(folder + "/" + next, files));
  TRY(replace_link(next, current_path));
  TRY(show_names(folder, files));
  for (const std::string& name : TRY(names_in_folder(folder))) {
    if (!name.starts_with("..") || name == current_name || name == next) continue;
    TRY(remove_folder_tree(fmt::format("{}/{}", folder, name)));
  }
  return {};
}

}  // namespace muster
