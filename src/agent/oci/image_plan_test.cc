// What becomes of a container by its image, and the configuration that runc reads.
// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/image_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/oci/find_devices.h"
#include "agent/oci/image_users.h"
#include "agent/oci/oci_config.h"
#include "agent/oci/oci_process.h"
#include "objects/json.h"
#include "objects/yaml.h"

namespace muster::agent {
namespace {

using objects::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::Pair;

constexpr const char* users = "root:x:0:0::/:\ntrainer:x:1000:100::/:\n";
constexpr const char* groups = "root:x:0:\nusers:x:100:\nvideo:x:44:other,trainer\n";

ImageFacts image() {
  return {.name = "docker.io/library/x:1",
          .id = "sha256:1",
          .root_folder = "/images/1/rootfs",
          .config = {.entrypoint = {"/entry"},
                     .command = {"default"},
                     .environment = {{"PATH", "/image/bin"}, {"A", "image"}},
                     .working_folder = "/work",
                     .user = "trainer",
                     .stop_signal = "SIGQUIT"},
          .users = users,
          .groups = groups};
}

ContainerSpec run(const char* container_yaml, const ImageFacts& facts = image()) {
  const Value container = objects::parse_yaml_document(container_yaml).must();
  const Environment own = {{"A", "own"}, {"N", "7"}};
  ContainerSpec made;
  made.environment.assign(own.begin(), own.end());
  run_from_image(Value(), container, facts, own, made).must();
  return made;
}

TEST(ImagePlan, command_and_arguments_follow_kubernetes_rules) {
  EXPECT_THAT(run("{}").arguments, ElementsAre("/entry", "default"));
  EXPECT_THAT(run("{args: [a]}").arguments, ElementsAre("/entry", "a"));
  EXPECT_THAT(run("{command: [c]}").arguments, ElementsAre("c"));
  EXPECT_THAT(run("{command: [c], args: ['$(N)', '$(A)']}").arguments,
              ElementsAre("c", "7", "own"));
}

TEST(ImagePlan, an_image_without_a_program_needs_one) {
  ImageFacts facts = image();
  facts.config = {};
  ContainerSpec made;
  const auto planned =
      run_from_image(Value(), objects::parse_yaml_document("{}").must(), facts, {}, made);
  ASSERT_FALSE(planned);
  EXPECT_THAT(planned.error().message, ::testing::HasSubstr("no command specified"));
}

TEST(ImagePlan, environment_folder_user_and_signal_are_the_images_where_the_pod_is_silent) {
  const ContainerSpec made = run("{}");
  EXPECT_THAT(made.environment, Contains(Pair("PATH", "/image/bin")));
  EXPECT_THAT(made.environment, Contains(Pair("A", "own")));
  EXPECT_EQ(made.working_folder, "/work");
  EXPECT_EQ(made.user, 1000U);
  EXPECT_EQ(made.group, 100U);
  EXPECT_THAT(made.groups, ElementsAre(44));
  EXPECT_EQ(made.stop_signal, 3);
}

TEST(ImagePlan, users_are_looked_up_in_the_image) {
  const auto resolved = [](std::string_view named, std::optional<std::uint32_t> user = {},
                           std::optional<std::uint32_t> group = {}) {
    return resolve_image_user(named, user, group, users, groups);
  };
  EXPECT_EQ(resolved("").must(), (ImageUser{0, 0, {}}));
  EXPECT_EQ(resolved("5").must(), (ImageUser{5, 0, {}}));
  EXPECT_EQ(resolved("trainer:video").must(), (ImageUser{1000, 44, {44}}));
  EXPECT_EQ(resolved("trainer", 7).must(), (ImageUser{7, 0, {}}));
  EXPECT_EQ(resolved("", 1000, 9).must(), (ImageUser{1000, 9, {44}}));
  EXPECT_EQ(resolved("nobody").error().message,
            "unable to find user nobody: no matching entries in passwd file");
  EXPECT_FALSE(resolved("5:nogroup"));
}

TEST(ImagePlan, run_as_non_root_speaks_a_kubelets_words) {
  const auto refusal = [](const char* security, std::string image_user) {
    ImageFacts facts = image();
    facts.config.user = std::move(image_user);
    const Value container =
        objects::parse_yaml_document(fmt::format("{{name: c, securityContext: {}}}", security))
            .must();
    const auto refused = refused_by_image(Value(), container, facts);
    return refused ? refused->message.substr(0, refused->message.find(" (pod")) : "";
  };
  EXPECT_EQ(refusal("{runAsNonRoot: true}", ""),
            "container has runAsNonRoot and image will run as root");
  EXPECT_EQ(refusal("{runAsNonRoot: true}", "trainer"),
            "container has runAsNonRoot and image has non-numeric user (trainer), cannot verify "
            "user is non-root");
  EXPECT_EQ(refusal("{runAsNonRoot: true, runAsUser: 0}", "1"),
            "container's runAsUser breaks non-root policy");
  EXPECT_EQ(refusal("{runAsNonRoot: true}", "1000"), "");
  EXPECT_EQ(refusal("{runAsNonRoot: true, runAsUser: 5}", ""), "");
  EXPECT_EQ(refusal("{}", ""), "");
}

TEST(ImagePlan, capabilities_are_added_and_dropped) {
  const auto given = [](const char* security) {
    return capabilities_of(
        objects::parse_yaml_document(fmt::format("{{securityContext: {}}}", security)).must());
  };
  EXPECT_EQ(given("{}").size(), 14U);
  EXPECT_THAT(given("{capabilities: {add: [SYS_ADMIN]}}"), Contains("CAP_SYS_ADMIN"));
  EXPECT_THAT(given("{capabilities: {drop: [ALL], add: [NET_RAW]}}"), ElementsAre("CAP_NET_RAW"));
  EXPECT_THAT(given("{capabilities: {drop: [KILL]}}"), Not(Contains("CAP_KILL")));
  EXPECT_EQ(given("{capabilities: {add: [ALL]}}").size(), capabilities_known());
}

TEST(ImagePlan, processors_are_shares_and_a_quota) {
  const ImageRun both = run("{resources: {requests: {cpu: 500m}, limits: {cpu: 2}}}").image_run;
  EXPECT_EQ(both.cpu_shares, 5120);
  EXPECT_EQ(both.cpu_quota_microseconds, 200'000);
  EXPECT_EQ(run("{}").image_run.cpu_shares, 0);
  EXPECT_EQ(run("{resources: {limits: {cpu: 1m}}}").image_run.cpu_quota_microseconds, 1000);
}

Value config(const ContainerSpec& container, OciPlace place = {.root = "/r"}) {
  return objects::parse_json(oci_config_text(container, place)).must();
}

TEST(OciConfig, says_what_runc_needs) {
  ContainerSpec container = run("{securityContext: {allowPrivilegeEscalation: false}}");
  container.memory_bytes_max = 1 << 20;
  container.mounts = {};
  const Value made = config(container, {.root = "/r",
                                        .etc_folder = "/pod/etc",
                                        .mounts = {{"/v", "/data", true}},
                                        .holder = 7,
                                        .own_network = true,
                                        .control_group = "muster-u-c",
                                        .processes_max = 64,
                                        .capabilities = 1});
  EXPECT_EQ(made["process"]["args"][std::size_t{0}].string_or(""), "/entry");
  EXPECT_EQ(made["process"]["user"]["uid"].integer_or(0), 1000);
  EXPECT_TRUE(made["process"]["noNewPrivileges"].boolean_or(false));
  // What this machine cannot give is not asked for.
  EXPECT_EQ(made["process"]["capabilities"]["bounding"].size(), 1U);
  EXPECT_EQ(made["linux"]["resources"]["memory"]["limit"].integer_or(0), 1 << 20);
  EXPECT_EQ(made["linux"]["resources"]["pids"]["limit"].integer_or(0), 64);
  EXPECT_FALSE(made["linux"]["resources"]["devices"][std::size_t{0}]["allow"].boolean_or(true));
  EXPECT_EQ(made["linux"]["namespaces"].size(), 5U);
  EXPECT_FALSE(made["linux"]["maskedPaths"].empty());
  EXPECT_EQ(made["linux"]["seccomp"]["defaultAction"].string_or(""), "SCMP_ACT_ALLOW");
  bool is_mounted = false;
  for (const objects::View mount : made["mounts"].elements()) {
    is_mounted = is_mounted || mount["destination"].string_or("") == "/data";
  }
  EXPECT_TRUE(is_mounted);
}

TEST(OciConfig, processes_are_shared_where_the_pod_shares_them) {
  const auto processes = [](const OciPlace& place) -> std::string {
    const Value made = config(run("{}"), place);
    for (const objects::View each : made["linux"]["namespaces"].elements()) {
      if (each["type"].string_or("") == "pid") return std::string(each["path"].string_or("own"));
    }
    return "the machine's";
  };
  EXPECT_EQ(processes({.root = "/r"}), "own");
  EXPECT_EQ(processes({.root = "/r", .own_processes = false}), "the machine's");
  EXPECT_EQ(processes({.root = "/r", .own_processes = false, .processes_of = 9}), "/proc/9/ns/pid");
}

TEST(OciConfig, version_2_limits_as_kubelets_do) {
  ContainerSpec container = run("{}");
  container.memory_bytes_max = 1 << 20;
  EXPECT_FALSE(config(container)["linux"]["resources"]["unified"]);
  EXPECT_FALSE(config(container)["linux"]["resources"]["memory"]["swap"]);
  const Value made = config(container, {.root = "/r", .is_unified = true, .limits_cpu = false});
  const objects::View resources = made["linux"]["resources"];
  EXPECT_EQ(resources["unified"]["memory.oom.group"].string_or(""), "1");
  EXPECT_EQ(resources["memory"]["swap"].integer_or(0), 1 << 20);
  EXPECT_FALSE(resources["cpu"]);
}

TEST(OciConfig, a_privileged_container_has_the_machine) {
  const Value made = config(run("{securityContext: {privileged: true}}"),
                            {.root = "/r", .machine_devices = {{.path = "/dev/x", .major = 7}}});
  EXPECT_FALSE(made["linux"]["seccomp"]);
  EXPECT_FALSE(made["linux"]["maskedPaths"]);
  EXPECT_TRUE(made["linux"]["resources"]["devices"][std::size_t{0}]["allow"].boolean_or(false));
  EXPECT_EQ(made["linux"]["devices"][std::size_t{0}]["path"].string_or(""), "/dev/x");
}

TEST(OciConfig, devices_come_with_their_rules_and_hooks) {
  ContainerSpec container = run("{}");
  container.devices.nodes = {{.path = "/dev/gpu", .host_path = "/dev/gpu", .major = 195}};
  container.devices.hooks = {{.stage = "createContainer", .path = "/bin/hook"}};
  const Value made = config(container);
  EXPECT_EQ(made["linux"]["resources"]["devices"][std::size_t{1}]["major"].integer_or(0), 195);
  EXPECT_EQ(made["hooks"]["createContainer"][std::size_t{0}]["path"].string_or(""), "/bin/hook");
}

TEST(OciProcess, the_last_error_of_runc_is_its_complaint) {
  EXPECT_EQ(runc_complaint("{\"level\":\"warning\",\"msg\":\"w\"}\n"
                           "{\"level\":\"error\",\"msg\":\"exec: no\"}\nnoise"),
            "exec: no");
  EXPECT_EQ(runc_complaint(""), "");
}

TEST(FindDevices, the_drivers_libraries_are_found_in_ldconfigs_list) {
  EXPECT_THAT(driver_libraries("2 libs found\n"
                               "\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/libcuda.so.1\n"
                               "\tlibc.so.6 (libc6) => /lib/libc.so.6\n"
                               "\tlibnvidia-ml.so.1 (libc6) => /usr/lib/libnvidia-ml.so.1\n"),
              ElementsAre("/usr/lib/libcuda.so.1", "/usr/lib/libnvidia-ml.so.1"));
}

TEST(FindDevices, what_is_declared_beyond_what_is_found_is_simulated) {
  const std::vector<Device> found = {{.resource = "v.com/x", .id = "a"},
                                     {.resource = "v.com/x", .id = "b"}};
  std::vector<NodeOptions> nodes(2);
  nodes[0].name = "n1";
  nodes[0].capacity.emplace("v.com/x", Quantity::of(1));
  nodes[1].name = "n2";
  nodes[1].capacity.emplace("v.com/x", Quantity::of(2));
  const DeviceLedger::Inventory shared = share_devices(nodes, found);
  EXPECT_FALSE(nodes[0].devices_are_simulated);
  EXPECT_EQ(shared.at("n1").front().id, "a");
  EXPECT_TRUE(nodes[1].devices_are_simulated);
  EXPECT_TRUE(shared.at("n2").front().is_simulated);
}

TEST(FindDevices, real_gpus_are_labels_of_their_node) {
  const GpuProduct product =
      read_gpu_product("Model: \t\t NVIDIA H200\nIRQ:   \t\t 41\nDevice Minor: \t 0\n");
  EXPECT_EQ(product.model, "NVIDIA H200");
  EXPECT_EQ(product.minor, "0");
  std::vector<NodeOptions> nodes(2);
  nodes[0].name = "n1";
  nodes[0].capacity.emplace("nvidia.com/gpu", Quantity::of(1));
  nodes[1].name = "n2";
  nodes[1].capacity.emplace("nvidia.com/gpu", Quantity::of(1));
  share_devices(nodes, {{.resource = "nvidia.com/gpu", .id = "0", .product = product.model}});
  EXPECT_EQ(nodes[0].labels.at("nvidia.com/gpu.product"), "NVIDIA-H200");
  EXPECT_EQ(nodes[0].labels.at("nvidia.com/gpu.count"), "1");
  EXPECT_TRUE(nodes[1].labels.empty());  // simulated
}

}  // namespace
}  // namespace muster::agent
