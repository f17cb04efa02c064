// The volumes of a pod: which folders and files must lie below the pod's folder before it starts,
// and what each container sees of them. Pure; agent/volume_files.h writes them.
//
//   const PodVolumes volumes = TRY(volumes_of(pod, surroundings, "/data/pods/<uid>"));
//   const std::vector<Mount> mounts = TRY(mounts_of(container, volumes, environment));
//
// Served: emptyDir, configMap, secret, downwardAPI, projected volumes made of the last three and of
// tokens, claims that are bound to a folder of this node, and hostPath below the folders that this
// node was told to share. Every other kind is an Error that names the volume and the kind. Keys and
// paths are checked again here: a file is never written outside of its volume.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/environment.h"
#include "agent/pod_runtime.h"
#include "agent/surroundings.h"
#include "base/result.h"
#include "objects/value.h"

namespace muster::agent {

struct VolumeFile {
  std::string path;  // below its volume; the folders of the path are made as needed
  std::string bytes;
  std::uint32_t mode = 0644;

  friend bool operator==(const VolumeFile&, const VolumeFile&) = default;
};

// A folder, and what lies in it: nothing of ours in an emptyDir; elsewhere exactly these files,
// which change all at once.
struct VolumeContents {
  std::string folder;
  bool is_published = false;
  std::vector<VolumeFile> files = {};
  bool is_memory = false;                     // it lies in memory where that can be had
  std::int64_t memory_bytes_max = 0;          // 0: half of the machine's
  std::optional<std::string> host_type = {};  // it is the machine's own: a hostPath of this type
  std::vector<std::string> beneath = {};      // … which must not lead out of these folders
  std::optional<std::uint32_t> group = {};    // to which it belongs

  friend bool operator==(const VolumeContents&, const VolumeContents&) = default;
};

struct PodVolumes {
  struct Volume {
    std::string folder;
    bool read_only = false;
  };
  std::map<std::string, Volume, std::less<>> volumes;
  std::vector<VolumeContents> contents;
};

Result<PodVolumes> volumes_of(objects::View pod, const Surroundings& surroundings,
                              const std::string& pod_folder);

Result<std::vector<Mount>> mounts_of(objects::View container, const PodVolumes& volumes,
                                     const Environment& environment);

// Relative, without empty, `.` and `..` parts and without NUL: stays where it is put.
bool is_path_inside(std::string_view path);

}  // namespace muster::agent
