// SPDX-License-Identifier: Apache-2.0
#include "agent/disk_volume_files.h"

#include <memory>
#include <utility>

#include "base/os/folders.h"

namespace muster::agent {

namespace {

// Any user of the pod may write into an emptyDir; who may come near it, the pods' folder says.
constexpr std::uint32_t folder_mode = 0777;
constexpr std::uint32_t inner_folder_mode = 0755;

Result<> write_file(const VolumeFile& file) {
  const std::string folder = file.path.substr(0, file.path.rfind('/'));
  if (!path_exists(folder)) {
    TRY(make_folders(folder));
    TRY(set_mode(folder, inner_folder_mode));
  }
  TRY(replace_file(file.path, file.bytes, Durable::no));
  return set_mode(file.path, file.mode);
}

Result<> write_all(const std::vector<std::string>& folders, const std::vector<VolumeFile>& files) {
  for (const std::string& folder : folders) {
    TRY(make_folders(folder));
    TRY(set_mode(folder, folder_mode));
  }
  for (const VolumeFile& file : files) TRY(write_file(file));
  return {};
}

}  // namespace

void DiskVolumeFiles::write(std::vector<std::string> folders, std::vector<VolumeFile> files,
                            Written written) {
  // Shared by the job and its completion, which run one after the other.
  auto outcome = std::make_shared<Result<>>();
  disk_.submit(
      DiskLane::background,
      [outcome, folders = std::move(folders), files = std::move(files)] {
        *outcome = write_all(folders, files);
      },
      house_, [outcome, written = std::move(written)]() mutable { written(std::move(*outcome)); });
}

void DiskVolumeFiles::discard(std::string folder) {
  disk_.submit(
      DiskLane::background,
      [folder = std::move(folder)] { static_cast<void>(remove_folder_tree(folder)); }, house_,
      [] {});
}

}  // namespace muster::agent
