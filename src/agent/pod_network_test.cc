// SPDX-License-Identifier: Apache-2.0
#include "agent/pod_network.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace muster::agent {
namespace {

TEST(PodNetworkTest, it_follows_from_the_data_folder) {
  const PodNetwork one = bridged_network("/var/lib/muster", {});
  const PodNetwork same = bridged_network("/var/lib/muster", {});
  const PodNetwork other = bridged_network("/home/a/.muster", {});
  EXPECT_EQ(one.cidr, same.cidr);
  EXPECT_EQ(one.bridge, same.bridge);
  EXPECT_NE(one.bridge, other.bridge);
  EXPECT_LE(one.bridge.size(), link_name_bytes_max);
  EXPECT_EQ(one.cidr.substr(one.cidr.size() - 6), "0.0/16");
  EXPECT_EQ(one.gateway, one.cidr.substr(0, one.cidr.size() - 6) + "0.1");
}

TEST(PodNetworkTest, it_keeps_out_of_the_way_of_what_is_there) {
  const PodNetwork first = bridged_network("/data", {});
  const PodNetwork second =
      bridged_network("/data", {{.name = "eth0", .address = first.gateway, .prefix = 24}});
  EXPECT_NE(second.cidr, first.cidr);
  EXPECT_TRUE(second.has_bridge());
}

TEST(PodNetworkTest, its_own_bridge_is_found_again_with_its_addresses) {
  const PodNetwork first = bridged_network("/data", {});
  const PodNetwork again =
      bridged_network("/data", {{.name = first.bridge, .address = "10.99.0.1", .prefix = 16}});
  EXPECT_EQ(again.cidr, "10.99.0.0/16");
  EXPECT_EQ(again.gateway, "10.99.0.1");
}

TEST(PodNetworkTest, the_one_that_was_kept_comes_before_what_the_folder_leads_to) {
  EXPECT_EQ(bridged_network("/data", {}, "10.99.0.0/16").cidr, "10.99.0.0/16");
  EXPECT_EQ(bridged_network("/data", {}, "127.9.0.0/16").cidr, bridged_network("/data", {}).cidr);
  const PodNetwork taken = bridged_network(
      "/data", {{.name = "eth0", .address = "10.99.3.1", .prefix = 24}}, "10.99.0.0/16");
  EXPECT_EQ(taken.cidr, bridged_network("/data", {}).cidr);
}

TEST(PodNetworkTest, the_folder_keeps_its_network) {
  const std::string folder = testing::TempDir() + "pod_network_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  EXPECT_EQ(kept_network(folder), "");
  keep_network(folder, "10.99.0.0/16").must();
  EXPECT_EQ(kept_network(folder), "10.99.0.0/16");
  keep_network(folder, "10.98.0.0/16").must();
  EXPECT_EQ(kept_network(folder), "10.98.0.0/16");
}

TEST(PodNetworkTest, ranges_of_nodes_tell_the_network) {
  EXPECT_EQ(network_around("10.88.1.0/24"), "10.88.0.0/16");
  EXPECT_EQ(network_around("127.9.2.0/24"), "127.9.0.0/16");
  EXPECT_EQ(network_around("100.64.0.0/24"), "");
  EXPECT_EQ(network_around("10.0.1.0/24"), "");
  EXPECT_EQ(network_around("nonsense"), "");
}

TEST(PodNetworkTest, a_machine_that_has_all_of_ten_shares_its_loopback) {
  const PodNetwork network =
      bridged_network("/data", {{.name = "eth0", .address = "10.0.0.7", .prefix = 8}});
  EXPECT_FALSE(network.has_bridge());
  EXPECT_EQ(network.cidr.substr(0, 4), "127.");
  EXPECT_FALSE(network.reason.empty());
}

TEST(PodNetworkTest, the_first_loopback_network_is_nobodys) {
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_NE(loopback_network("/data/" + std::to_string(i)).cidr, "127.0.0.0/16");
  }
}

TEST(PodNetworkTest, names_of_cables_fit) {
  EXPECT_LE(cable_name("6f1c3c1e-0d5c-4f3e-8a53-2b1f6d0f8a11").size(), link_name_bytes_max);
  EXPECT_NE(cable_name("a"), cable_name("b"));
}

}  // namespace
}  // namespace muster::agent
