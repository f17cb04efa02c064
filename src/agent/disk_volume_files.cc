// SPDX-License-Identifier: Apache-2.0
#include "agent/disk_volume_files.h"

#include <memory>
#include <utility>

#include "base/os/folders.h"
#include "base/os/published_folder.h"

namespace muster::agent {

namespace {

// Any user of the pod may write into an emptyDir; who may come near it, the pods' folder says.
constexpr std::uint32_t empty_folder_mode = 0777;
constexpr std::uint32_t published_folder_mode = 0755;

Result<> write_volume(const VolumeContents& volume) {
  const bool is_new = !path_exists(volume.folder);
  TRY(make_folders(volume.folder));
  if (!volume.is_published) {
    // Whose pod it is may have changed its mode meanwhile.
    return is_new ? set_mode(volume.folder, empty_folder_mode) : Result<>();
  }
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
      DiskLane::background,
      [outcome, volumes = std::move(volumes)] { *outcome = write_all(volumes); }, house_,
      [outcome, written = std::move(written)]() mutable { written(std::move(*outcome)); });
}

void DiskVolumeFiles::discard(std::string folder) {
  disk_.submit(
      DiskLane::background,
      [folder = std::move(folder)] { static_cast<void>(remove_folder_tree(folder)); }, house_,
      [] {});
}

}  // namespace muster::agent
