// CDI specifications: how vendors say which files, variables and hooks a device brings into a
// container (Container Device Interface). Reads JSON and YAML. Pure.
//
//   const CdiSpec spec = TRY(parse_cdi(text));        // kind "nvidia.com/gpu", devices "0", "1" …
//
// Assumes: the text may be anything. What is not understood is refused, not skipped: a device that
// lacks a part would not work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agent/pod_runtime.h"
#include "base/result.h"

namespace muster::agent {

inline constexpr std::size_t cdi_bytes_max = std::size_t{4} << 20;
inline constexpr std::size_t cdi_entries_max = 10'000;

// What a device, or every device of a specification, does to a container.
struct DeviceEdits {
  std::vector<std::string> environment = {};  // NAME=value
  std::vector<DeviceNode> nodes = {};         // major 0: as the file of the machine has it
  std::vector<Mount> mounts = {};
  std::vector<DeviceHook> hooks = {};

  void append(const DeviceEdits& more);
  friend bool operator==(const DeviceEdits&, const DeviceEdits&) = default;
};

struct CdiDevice {
  std::string name;
  DeviceEdits edits = {};
};

struct CdiSpec {
  std::string kind;  // "vendor/class"
  std::vector<CdiDevice> devices = {};
  DeviceEdits edits = {};  // with whichever of them
};

Result<CdiSpec> parse_cdi(std::string_view text);

}  // namespace muster::agent
