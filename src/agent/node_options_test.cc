// SPDX-License-Identifier: Apache-2.0
#include "agent/node_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace muster::agent {

namespace {

using testing::HasSubstr;

TEST(NodeOption, name_and_resources) {
  const NodeOptions node =
      parse_node_option("name=n1,cpu=8,memory=16Gi,nvidia.com/gpu=4,pods=20").must();
  EXPECT_EQ(node.name, "n1");
  EXPECT_EQ(node.capacity.at("cpu").to_string(), "8");
  EXPECT_EQ(node.capacity.at("memory").to_string(), "16Gi");
  EXPECT_EQ(node.capacity.at("nvidia.com/gpu").to_string(), "4");
  EXPECT_EQ(node.capacity.at("pods").to_string(), "20");
  EXPECT_TRUE(node.devices_are_simulated);
}

TEST(NodeOption, a_node_without_devices_simulates_none) {
  EXPECT_FALSE(parse_node_option("cpu=500m,memory=1Gi,name=a.b").must().devices_are_simulated);
}

TEST(NodeOption, labels_taints_and_addresses) {
  const NodeOptions node =
      parse_node_option(
          "name=n1,cpu=8,memory=1Gi,labels=zone=a;example.com/disk=ssd,"
          "taints=gpu=yes:NoSchedule;old:NoExecute,podCIDR=10.64.1.0/24,address=10.0.0.1")
          .must();
  EXPECT_EQ(node.labels.at("zone"), "a");
  EXPECT_EQ(node.labels.at("example.com/disk"), "ssd");
  ASSERT_EQ(node.taints.size(), 2U);
  EXPECT_EQ(node.taints[0], (NodeTaint{"gpu", "yes", "NoSchedule"}));
  EXPECT_EQ(node.taints[1], (NodeTaint{"old", "", "NoExecute"}));
  EXPECT_EQ(node.pod_cidr, "10.64.1.0/24");
  EXPECT_EQ(node.address, "10.0.0.1");
}

TEST(NodeOption, a_mistake_is_named) {
  const std::pair<std::string, std::string> mistakes[] = {
      {"cpu=8,memory=1Gi", "must have a name"},
      {"name=N_1,cpu=8,memory=1Gi", "\"name=N_1\": a lowercase RFC 1123 subdomain"},
      {"name=n1,memory=1Gi", "must say how much cpu it has"},
      {"name=n1,cpu=8", "must say how much memory it has, as in memory=16Gi"},
      {"name=n1,cpu=eight,memory=1Gi", "\"cpu=eight\": quantities must match"},
      {"name=n1,cpu=-1,memory=1Gi", "\"cpu=-1\": must not be negative"},
      {"name=n1,cpu=8,cpu=9,memory=1Gi", "\"cpu=9\": is there twice"},
      {"name=n1,cpu,memory=1Gi", "\"cpu\": must be key=value"},
      {"name=n1,,cpu=8,memory=1Gi", "\"\": must be key=value"},
      {"", "\"\": must be key=value"},
      {"name=n1,cpu=8,memory=1Gi,taints=a=b:Never", "the effect must be"},
      {"name=n1,cpu=8,memory=1Gi,taints=a", "a taint must be key=value:Effect"},
      {"name=n1,cpu=8,memory=1Gi,labels=a b=c", "name part must consist of"},
      {"name=n1,cpu=8,memory=1Gi,podCIDR=here", "must be a range of addresses"},
      {"name=n1,cpu=8,memory=1Gi,address=here", "must be an IPv4 address"},
      {"name=n1,cpu=8,memory=1e30", "is too large"},
      {std::string(20'000, 'x'), "is longer than 16384 bytes"},
  };
  for (const auto& [text, sentence] : mistakes) {
    const auto parsed = parse_node_option(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::bad_request);
    EXPECT_THAT(parsed.error().message, HasSubstr(sentence));
  }
}

TEST(NodeOptions, a_machine_has_a_name_that_a_node_can_have) {
  EXPECT_EQ(node_name_of("rack-7.example.com"), "rack-7.example.com");
  EXPECT_EQ(node_name_of("Rack_7"), "rack-7");
  EXPECT_EQ(node_name_of("-a_.-b-."), "a.b");
  EXPECT_EQ(node_name_of("(none)"), "none");
  EXPECT_EQ(node_name_of(""), "localhost");
  EXPECT_EQ(node_name_of("..."), "localhost");
  EXPECT_EQ(node_name_of(std::string(64, 'x')).size(), 63U);
}

}  // namespace

}  // namespace muster::agent
