// SPDX-License-Identifier: Apache-2.0
#include "agent/shim_protocol.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::agent {
namespace {

using Phase = ContainerState::Phase;

ShimSpec sample_spec() {
  ShimSpec spec;
  spec.pod.uid = "u";
  spec.pod.name_space = "team-a";
  spec.pod.name = "rank-0";
  spec.pod.node = "n1";
  spec.pod.hostname = "rank-0";
  spec.pod.address = "10.71.0.2";
  spec.pod.name_server = "10.71.0.1";
  spec.pod.search_domains = {"a", "b"};
  spec.pod.hosts = "127.0.0.1 localhost\n";
  spec.pod.containers.push_back({.name = "main",
                                 .image = "x",
                                 .arguments = {"sh", "-c", "echo \"ä\"\n"},
                                 .environment = {{"A", "1"}, {"B", ""}},
                                 .working_folder = "/w",
                                 .mounts = {{"/s", "/t", true}},
                                 .memory_bytes_max = 42});
  spec.isolation = Isolation::user_namespace;
  spec.network.bridge = "muster0";
  spec.network.gateway = "10.71.0.1";
  spec.hidden = {"/data"};
  spec.log_limits = {.file_bytes = 7, .files = 2};
  spec.processes_max = 9;
  spec.own_ipc = false;
  spec.processes = ProcessSharing::pod;
  spec.pod.gang = "team-a/train";
  spec.pod.gang_members = 4;
  return spec;
}

TEST(ShimProtocolTest, a_spec_survives_its_text) {
  const std::string text = to_json_text(sample_spec());
  EXPECT_EQ(to_json_text(parse_shim_spec(text).must()), text);
}

TEST(ShimProtocolTest, a_state_survives_its_text_in_one_line) {
  ShimState state{.shim = {.id = 4711, .start_ticks = 12}, .pod = {.uid = "u", .containers = {}}};
  state.pod.containers.push_back({.name = "main",
                                  .phase = Phase::exited,
                                  .reason = "Error",
                                  .message = "two\nlines",
                                  .started = {1},
                                  .finished = {2},
                                  .exit_code = 137,
                                  .signal = 9,
                                  .attempt = 3});
  const std::string text = to_json_text(state);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const ShimState read = parse_shim_state(text).must();
  EXPECT_EQ(read.pod, state.pod);
  EXPECT_EQ(read.shim.id, 4711);
  EXPECT_EQ(read.shim.start_ticks, 12U);
  EXPECT_TRUE(read.has_ended());
}

TEST(ShimProtocolTest, half_a_file_is_an_error) {
  const std::string text = to_json_text(sample_spec());
  EXPECT_FALSE(parse_shim_spec(text.substr(0, text.size() / 2)));
  EXPECT_FALSE(parse_shim_spec(""));
  EXPECT_FALSE(parse_shim_spec("{}"));
  EXPECT_FALSE(parse_shim_state("{}"));
  EXPECT_FALSE(parse_shim_state("[]"));
}

TEST(ShimProtocolTest, orders_are_words) {
  const auto stop = parse_shim_order("stop 30000000000");
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->grace, Span::of_seconds(30));
  EXPECT_EQ(to_line(*stop), "stop 30000000000");
  const auto restart = parse_shim_order("restart main");
  ASSERT_TRUE(restart);
  EXPECT_EQ(restart->container, "main");
  EXPECT_EQ(to_line(*restart), "restart main");
  EXPECT_EQ(to_line(parse_shim_order("kill").value()), "kill");
  EXPECT_EQ(to_line(parse_shim_order("go").value()), "go");
}

TEST(ShimProtocolTest, other_words_are_no_orders) {
  for (const char* line : {"", "stop", "stop x", "stop 1 2", "stop 99999999999999999999", "restart",
                           "kill now", "go on", "obey"}) {
    EXPECT_FALSE(parse_shim_order(line)) << line;
  }
}

}  // namespace
}  // namespace muster::agent
