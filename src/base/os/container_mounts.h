// Mounts that a pod's shim makes for its containers in a mount namespace of its own: nobody else
// sees them, and they go when the last process in it does.
//
//   TRY(enter_own_mounts());                                        // once, one thread
//   TRY(mount_layers({.lower = image, .upper = …, .work = …, .target = …}));
//   TRY(bind_below("/data/volumes/v", "a/b", "/data/mounts/0"));    // never out of the volume
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace muster {

// Mounts of the machine keep arriving; ours do not leave.
Result<> enter_own_mounts();

struct Layers {
  std::string lower;   // never written
  std::string upper;   // what is written
  std::string work;    // beside upper, empty
  std::string target;  // where both appear as one
};
Result<> mount_layers(const Layers& layers);

// What lies below the folder (base/os/sandbox_root.h) appears at the target, which is made as a
// folder or a file, whichever it is.
Result<> bind_below(const std::string& folder, const std::string& below, const std::string& target);

// Nothing to do where nothing is mounted.
void unmount_at(const std::string& target);

// A file of a container's root as the container would find it: links lead nowhere else.
Result<std::string> read_file_in_root(const std::string& root, const std::string& path,
                                      std::size_t bytes_max);

}  // namespace muster
