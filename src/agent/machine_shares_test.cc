// SPDX-License-Identifier: Apache-2.0
#include "agent/machine_shares.h"

#include <gtest/gtest.h>

#include "objects/yaml.h"

namespace muster::agent {
namespace {

ShimSpec spec_of(std::string_view pod) {
  ShimSpec shim;
  shim.pod.pod = objects::parse_yaml_document(pod).must();
  shim.pod.containers.resize(2);
  shim.pod.containers[1].mounts = {{.source = "/data/shm", .target = "/dev/shm"}};
  shim.network.bridge = "muster0";
  return shim;
}

TEST(MachineShares, a_pod_that_asks_for_nothing_has_its_own) {
  ShimSpec shim = spec_of("spec: {}");
  share_with_machine(shim);
  EXPECT_TRUE(shim.own_ipc);
  EXPECT_TRUE(shim.network.has_bridge());
  EXPECT_TRUE(shim.pod.containers[0].mounts.empty());
}

TEST(MachineShares, the_network_is_shared_alone) {
  ShimSpec shim = spec_of("spec: {hostNetwork: true}");
  share_with_machine(shim);
  EXPECT_FALSE(shim.network.has_bridge());
  EXPECT_TRUE(shim.own_ipc);
}

TEST(MachineShares, memory_is_shared_but_where_a_volume_is) {
  ShimSpec shim = spec_of("spec: {hostIPC: true}");
  share_with_machine(shim);
  EXPECT_FALSE(shim.own_ipc);
  EXPECT_TRUE(shim.network.has_bridge());
  const std::vector<Mount> shared = {{.source = "/dev/shm", .target = "/dev/shm"}};
  EXPECT_EQ(shim.pod.containers[0].mounts, shared);
  ASSERT_EQ(shim.pod.containers[1].mounts.size(), 1U);
  EXPECT_EQ(shim.pod.containers[1].mounts[0].source, "/data/shm");
}

TEST(MachineShares, processes_are_shared_with_the_pod_or_the_machine) {
  ShimSpec shim = spec_of("spec: {}");
  share_with_machine(shim);
  EXPECT_EQ(shim.processes, ProcessSharing::none);
  shim = spec_of("spec: {shareProcessNamespace: true}");
  share_with_machine(shim);
  EXPECT_EQ(shim.processes, ProcessSharing::pod);
  shim = spec_of("spec: {hostPID: true}");
  share_with_machine(shim);
  EXPECT_EQ(shim.processes, ProcessSharing::machine);
}

}  // namespace
}  // namespace muster::agent
