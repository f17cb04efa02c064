// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/cdi.h"

#include <gtest/gtest.h>

#include "agent/device_ledger.h"

namespace muster::agent {
namespace {

constexpr const char* yaml = R"(
cdiVersion: 0.6.0
kind: nvidia.com/gpu
containerEdits:
  env: [NVIDIA_VISIBLE_DEVICES=void]
  deviceNodes: [{path: /dev/nvidiactl}]
  hooks: [{hookName: createContainer, path: /usr/bin/nvidia-ctk, args: [nvidia-ctk, hook]}]
  mounts: [{hostPath: /lib/libcuda.so.1, containerPath: /lib/libcuda.so.1, options: [ro, bind]}]
devices:
- name: "0"
  containerEdits:
    deviceNodes: [{path: /dev/nvidia0, type: c, major: 195, minor: 0, permissions: rw}]
- name: all
  containerEdits:
    deviceNodes: [{path: /dev/nvidia0}]
)";

TEST(Cdi, a_specification_says_what_a_device_brings) {
  const auto spec = parse_cdi(yaml);
  ASSERT_TRUE(spec) << spec.error().to_string();
  EXPECT_EQ(spec->kind, "nvidia.com/gpu");
  ASSERT_EQ(spec->devices.size(), 2U);
  EXPECT_EQ(spec->devices[0].edits.nodes[0].major, 195);
  EXPECT_EQ(spec->devices[0].edits.nodes[0].access, "rw");
  EXPECT_EQ(spec->edits.nodes[0].host_path, "/dev/nvidiactl");
  EXPECT_TRUE(spec->edits.mounts[0].read_only);
  EXPECT_EQ(spec->edits.hooks[0].stage, "createContainer");
}

TEST(Cdi, is_read_from_json_as_well) {
  EXPECT_TRUE(parse_cdi(R"({"cdiVersion": "0.5.0", "kind": "v.com/c",
                            "devices": [{"name": "a", "containerEdits": {}}]})"));
}

TEST(Cdi, what_is_not_understood_is_refused) {
  for (const char* text :
       {"", "[]", "kind: a/b", "{cdiVersion: '1', kind: ab, devices: [{name: x}]}",
        "{cdiVersion: '1', kind: a/b}", "{cdiVersion: '1', kind: a/b, devices: [{name: '../x'}]}",
        "{cdiVersion: '1', kind: a/b, devices: [{name: x, containerEdits: {env: [bad]}}]}",
        "{cdiVersion: '1', kind: a/b, devices: [{name: x, containerEdits: {mounts: [{hostPath: "
        "a}]}}]}",
        "{cdiVersion: '1', kind: a/b, devices: [{name: x, containerEdits: {hooks: [{hookName: no, "
        "path: /x}]}}]}",
        "{cdiVersion: '1', kind: a/b, devices: [{name: x, containerEdits: {deviceNodes: [{path: "
        "/dev/../x}]}}]}"}) {
    EXPECT_FALSE(parse_cdi(text)) << text;
  }
}

// ---- Who has which -----------------------------------------------------------------------------

DeviceLedger two_gpus() {
  return DeviceLedger({{"n1", simulated_devices("nvidia.com/gpu", 2)}});
}

PodSpec pod_of(std::vector<std::int64_t> counts) {
  PodSpec pod;
  pod.uid = "u" + std::to_string(counts.size());
  pod.node = "n1";
  for (const std::int64_t count : counts) {
    ContainerSpec container{.name = "c" + std::to_string(pod.containers.size()), .image = "x"};
    if (count > 0) container.wanted_devices = {{"nvidia.com/gpu", count}};
    pod.containers.push_back(std::move(container));
  }
  return pod;
}

std::string variable(const ContainerSpec& container, std::string_view name) {
  for (const auto& [key, value] : container.environment) {
    if (key == name) return value;
  }
  return "-";
}

TEST(DeviceLedger, no_device_is_given_twice) {
  DeviceLedger ledger = two_gpus();
  PodSpec first = pod_of({1});
  first.uid = "first";
  ASSERT_TRUE(ledger.give(first));
  EXPECT_EQ(variable(first.containers[0], "NVIDIA_VISIBLE_DEVICES"), "0");
  EXPECT_EQ(variable(first.containers[0], "CUDA_VISIBLE_DEVICES"), "0");
  PodSpec second = pod_of({2});
  second.uid = "second";
  const auto refused = ledger.give(second);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "2 devices nvidia.com/gpu are asked for, and 1 of node n1 are free");
  PodSpec third = pod_of({1, 0});
  third.uid = "third";
  ASSERT_TRUE(ledger.give(third));
  EXPECT_EQ(variable(third.containers[0], "CUDA_VISIBLE_DEVICES"), "1");
  EXPECT_EQ(variable(third.containers[1], "CUDA_VISIBLE_DEVICES"), "-");
  ledger.release("first");
  ledger.release("third");
  EXPECT_TRUE(ledger.give(second));
}

TEST(DeviceLedger, a_restarted_node_knows_what_it_gave) {
  PodSpec pod = pod_of({1});
  ASSERT_TRUE(two_gpus().give(pod));
  DeviceLedger ledger = two_gpus();
  ledger.note(pod);
  PodSpec other = pod_of({1, 0});
  ASSERT_TRUE(ledger.give(other));
  EXPECT_EQ(other.containers[0].devices.names, std::vector<std::string>{"nvidia.com/gpu=1"});
}

TEST(DeviceLedger, what_initializes_a_pod_uses_the_devices_of_the_others) {
  DeviceLedger ledger = two_gpus();
  PodSpec pod = pod_of({2, 2});
  pod.containers[0].role = ContainerRole::init;
  ASSERT_TRUE(ledger.give(pod));
  EXPECT_EQ(pod.containers[0].devices.names, pod.containers[1].devices.names);
}

}  // namespace
}  // namespace muster::agent
