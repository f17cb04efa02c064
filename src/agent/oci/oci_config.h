// The configuration of a container as runc reads it (config.json of the OCI runtime specification),
// made from what the node decided. Pure: the same container gives the same text.
//
//   write bundle + "/config.json": oci_config_text(container, place)
//
// Assumes: a process of the pod holds its ipc, host name and network namespaces, which the
// container joins, and so does who visits it; it has a mount namespace of its own, and one of
// processes unless its pod shares that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/pod_runtime.h"
#include "base/os/device_files.h"

namespace muster::agent {

// Where a container lies on this machine, and what the machine permits.
struct OciPlace {
  std::string root;                // the layers of its image and its own, mounted
  std::string etc_folder = {};     // hosts, hostname, resolv.conf of its pod
  std::string last_words = {};     // the file of its last words; empty: none
  std::vector<Mount> mounts = {};  // its volumes; `below` is looked up already
  std::int64_t holder = 0;         // the process whose namespaces it joins; 0: runc's own
  bool own_network = false;        // … its network too
  bool own_processes = true;       // false: it sees those of `processes_of`, or the machine's
  std::int64_t processes_of = 0;   // the first process of a namespace that it joins
  std::string control_group = {};  // as runc calls it (base/os/control_group.h)
  // Limited by version 2: as kubelets have it, nothing is swapped out, and who is over its limit of
  // memory is killed whole.
  bool is_unified = false;
  bool limits_memory = true;
  bool limits_processes = true;
  bool limits_cpu = true;
  std::int64_t processes_max = 0;
  std::uint64_t capabilities = ~std::uint64_t{0};  // that this process can give at all
  std::vector<DeviceFile> machine_devices = {};    // what a privileged container gets
};

std::string oci_config_text(const ContainerSpec& container, const OciPlace& place);

// The name of a capability by the kernel's number; empty beyond the last.
std::string_view capability_name(std::size_t number);
std::size_t capabilities_known();

}  // namespace muster::agent
