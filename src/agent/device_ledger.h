// DeviceLedger: which devices the nodes of this machine have, and which container has which of
// them. Each is somebody's or nobody's, never two pods'. Pure.
//
//   DeviceLedger ledger({{"n1", simulated_devices("nvidia.com/gpu", 4)}});
//   if (!ledger.give(pod)) …          // too few are free: wait for a release()
//   ledger.note(pod);                 // what an earlier life gave, read back from the pod's folder
//   ledger.release(uid);
//
// give() writes into the containers what comes with the devices: files, mounts, hooks, variables.
// NVIDIA_VISIBLE_DEVICES names the devices of the machine; CUDA_VISIBLE_DEVICES counts those that
// the container can open, which are all that it can see, and names simulated ones as the machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/oci/cdi.h"
#include "agent/pod_runtime.h"
#include "base/result.h"

namespace muster::agent {

struct Device {
  std::string resource;  // "nvidia.com/gpu"
  std::string id;        // "0"
  bool is_simulated = false;
  DeviceEdits edits = {};
  std::string product = {};  // as its driver calls it: "NVIDIA H200"; empty: not known

  std::string name() const { return resource + "=" + id; }
};

// Declared, not found: numbers.
std::vector<Device> simulated_devices(const std::string& resource, std::int64_t count);

class DeviceLedger {
 public:
  using Inventory = std::map<std::string, std::vector<Device>, std::less<>>;  // by node

  explicit DeviceLedger(Inventory devices) : devices_(std::move(devices)) {}

  // All that the pod's containers ask for, or nothing. A resource that the node has no devices of
  // is counted by nobody.
  Result<> give(PodSpec& pod);
  void note(const PodSpec& pod);
  void release(std::string_view uid);

 private:
  Result<> choose(const PodSpec& pod, const ContainerSpec& container,
                  std::map<std::string, std::string>& owners, std::vector<const Device*>& chosen);

  Inventory devices_;
  std::map<std::string, std::string> owners_;  // uids, by node and device
};

}  // namespace muster::agent
