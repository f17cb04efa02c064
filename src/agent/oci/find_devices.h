// Which devices this machine has: those that CDI specifications describe, else the GPUs whose files
// NVIDIA's driver made, with its libraries. Reads the machine; blocks; at start-up.
//
//   const std::vector<Device> found = find_devices({.cdi_folders = cdi_folders_default}, log);
//   DeviceLedger::Inventory inventory = share_devices(nodes, found);
//
// share_devices() gives found devices to the nodes that declare them, in order; what is declared
// beyond them is simulated, and the node says so.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "agent/device_ledger.h"
#include "agent/node_options.h"
#include "base/log.h"

namespace muster::agent {

struct DeviceSources {
  std::vector<std::string> cdi_folders = {"/etc/cdi", "/var/run/cdi"};  // later ones win
  std::string device_folder = "/dev";
  std::string driver_folder = "/proc/driver/nvidia/gpus";  // a folder for each GPU
};

std::vector<Device> find_devices(const DeviceSources& sources, const Log& log);

// Marks the nodes whose devices are simulated; nodes with real GPUs get the labels by which people
// ask for them (nvidia.com/gpu.product, .count, .present), unless they have them.
DeviceLedger::Inventory share_devices(std::vector<NodeOptions>& nodes,
                                      const std::vector<Device>& found);

// `Model:` of a GPU by its `Device Minor:`, as the driver tells in /proc/driver/nvidia/gpus.
struct GpuProduct {
  std::string minor;
  std::string model;
};
GpuProduct read_gpu_product(std::string_view information);

// The libraries of NVIDIA's driver in what `ldconfig -p` says: their paths, each once.
std::vector<std::string> driver_libraries(std::string_view ldconfig_text);

}  // namespace muster::agent
