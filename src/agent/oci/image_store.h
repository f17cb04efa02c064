// ImageStore: the images of this machine, in a folder: under each name the id of an image, under
// each id its configuration and its files, unpacked once and shared by all that run it.
//
//   images/names.json           what is called how
//   images/<id>/rootfs, config.json
//   images/incoming-<process>/  what is being fetched; nobody looks into it
//
//   ImageStore store(data + "/images", data + "/pods");
//   const auto image = TRY(store.find(TRY(parse_image_name("busybox"))));     // nothing: absent
//   TRY(store.add(name, incoming, {.id = id, .stored = now}));
//
// Assumes: anybody may look at any time, from any process; who changes it holds its lock, for as
// long as files are renamed, never while something is fetched. What the names lead to is whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/oci/image_config.h"
#include "agent/oci/image_name.h"
#include "base/instant.h"
#include "base/os/descriptor.h"
#include "base/result.h"

namespace muster::agent {

inline constexpr std::size_t stored_images_max = 10'000;

struct StoredImage {
  std::string name;         // in full
  std::string id;           // "sha256:…" of its configuration
  std::string digest = {};  // of the manifest that it was pulled by; empty: it was imported
  std::int64_t bytes = 0;
  Instant stored = {};
  std::string root_folder = {};  // its files

  // As a container's status has it: by what anybody can pull the same, else by its id.
  std::string image_id() const;

  friend bool operator==(const StoredImage&, const StoredImage&) = default;
};

class ImageStore {
 public:
  // The pods' folder tells who uses what.
  ImageStore(std::string folder, std::string pods_folder)
      : folder_(std::move(folder)), pods_folder_(std::move(pods_folder)) {}

  const std::string& folder() const { return folder_; }

  // In the order of their names.
  Result<std::vector<StoredImage>> list() const;
  Result<std::optional<StoredImage>> find(const ImageName& name) const;
  Result<ImageConfig> config(const StoredImage& image) const;

  // A folder of its own for what this process fetches, empty; those of dead processes go, and so
  // do images that have lost their names and run nowhere.
  Result<std::string> begin();

  // Takes `incoming`/rootfs and `incoming`/config.json over; `incoming` is gone afterwards.
  Result<StoredImage> add(const ImageName& name, const std::string& incoming, StoredImage image);

  // Takes a name, or an id, away. With the last name the files go; while a pod runs on them nothing
  // is changed, and the error says which.
  Result<> remove(std::string_view name_or_id);

 private:
  std::string folder_of(std::string_view id) const;
  Result<Descriptor> lock() const;
  Result<> save(std::vector<StoredImage> images) const;

  std::string folder_;
  std::string pods_folder_;
};

// The pod that runs, or is to run, on these files: a sentence about it.
std::optional<std::string> pod_that_uses(const std::string& root_folder,
                                         const std::string& pods_folder);

}  // namespace muster::agent
