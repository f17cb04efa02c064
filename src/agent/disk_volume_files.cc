// SPDX-License-Identifier: Apache-2.0
#include "agent/disk_volume_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/os/folders.h"
#include "base/os/published_folder.h"

namespace muster::agent {

namespace {

// Any user of the pod may write into an emptyDir; who may come near it, the pods' folder says.
constexpr std::uint32_t empty_folder_mode = 0777;
constexpr std::uint32_t group_folder_mode = 02777;  // what is made in it belongs to the group
constexpr std::uint32_t published_folder_mode = 0755;

bool is_beneath(const std::string& path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&path](const std::string& each) {
    std::string folder = canonical_path(each).value_or(each);
    if (!folder.ends_with('/')) folder += '/';
    return (path + "/").starts_with(folder);
  });
}

// What a kubelet checks of a hostPath, and that no link on the way leads out of what is shared.
Result<> check_host_path(const VolumeContents& volume) {
  const std::string& path = volume.folder;
  const std::string& type = *volume.host_type;
  if (type == "DirectoryOrCreate" && !path_exists(path)) {
    const std::size_t slash = path.rfind('/');
    const auto above = canonical_path(path.substr(0, std::max<std::size_t>(slash, 1)));
    if (above && is_beneath(*above, volume.beneath)) TRY(make_folders(path));
  }
  const auto real = canonical_path(path);
  if (!real) {
    return Error{ErrorCode::not_found,
                 fmt::format("hostPath type check failed: {} does not exist", path)};
  }
  if (!is_beneath(*real, volume.beneath)) {
    return Error{
        ErrorCode::forbidden,
        fmt::format("hostPath {} leads to {}, which is not shared with pods", path, *real)};
  }
  const bool is_folder = names_in_folder(*real).has_value();
  if (type.starts_with("Directory") && !is_folder) {
    return Error::invalid(fmt::format("hostPath type check failed: {} is not a directory", path));
  }
  if (type == "File" && is_folder) {
    return Error::invalid(fmt::format("hostPath type check failed: {} is not a file", path));
  }
  return {};
}

// Where this process may not mount, memory is a folder like any other.
Result<> make_empty_folder(const VolumeContents& volume) {
  TRY(make_folders(volume.folder));
  if (volume.is_memory) static_cast<void>(mount_memory(volume.folder, volume.memory_bytes_max));
  if (!volume.group) return set_mode(volume.folder, empty_folder_mode);
  TRY(set_group(volume.folder, *volume.group));
  return set_mode(volume.folder, group_folder_mode);
}

Result<> write_volume(const VolumeContents& volume) {
  if (volume.host_type) return check_host_path(volume);
  // Whose pod it is may have changed its mode meanwhile.
  if (!volume.is_published) {
    return path_exists(volume.folder) ? Result<>() : make_empty_folder(volume);
  }
  TRY(make_folders(volume.folder));
  TRY(set_mode(volume.folder, published_folder_mode));
  std::vector<PublishedFile> files;
  for (const VolumeFile& file : volume.files) {
    files.push_back({.path = file.path, .bytes = file.bytes, .mode = file.mode});
  }
  return publish_files(volume.folder, files);
}

Result<> write_all(const std::vector<VolumeContents>& volumes) {
  for (const VolumeContents& volume : volumes) TRY(write_volume(volume));
  return {};
}

}  // namespace

void DiskVolumeFiles::write(std::vector<VolumeContents> volumes, Written written) {
  // Shared by the job and its completion, which run one after the other.
  auto outcome = std::make_shared<Result<>>();
  disk_.submit(
      DiskLane::node, [outcome, volumes = std::move(volumes)] { *outcome = write_all(volumes); },
      house_, [outcome, written = std::move(written)]() mutable { written(std::move(*outcome)); });
}

void DiskVolumeFiles::discard(std::string folder) {
  disk_.submit(
      DiskLane::node,
      [folder = std::move(folder)] {
        unmount_memory_in(folder + "/volumes");
        static_cast<void>(remove_folder_tree(folder));
      },
      house_, [] {});
}

void DiskVolumeFiles::measure(std::vector<std::string> folders, Measured measured) {
  auto bytes = std::make_shared<std::vector<std::uint64_t>>();
  disk_.submit(
      DiskLane::node,
      [bytes, folders = std::move(folders)] {
        for (const std::string& folder : folders) bytes->push_back(folder_tree_bytes(folder));
      },
      house_, [bytes, measured = std::move(measured)]() mutable { measured(std::move(*bytes)); });
}

}  // namespace muster::agent
