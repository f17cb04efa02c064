// SPDX-License-Identifier: Apache-2.0
#include "agent/readdress.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::agent {
namespace {

PodNetwork network(const std::string& octets) {
  return {.bridge = "muster0",
          .cidr = octets + ".0.0/16",
          .gateway = octets + ".0.1",
          .services = octets + ".192.0/18"};
}

// As a shim reads it.
ShimSpec old_spec() {
  ShimSpec shim;
  shim.network.bridge = "muster0";
  shim.network.gateway = "10.88.0.1";
  shim.pod.address = "10.88.1.7";
  shim.pod.name_server = "10.88.0.1";
  shim.pod.hosts = "127.0.0.1\tlocalhost\n10.88.1.7\ttrain-0\n10.88.2.9\ttrain-1\n";
  shim.pod.containers.resize(1);
  shim.pod.containers[0].arguments = {"train", "10.88.1.7"};
  shim.pod.containers[0].environment = {{"POD_IP", "10.88.1.7"},
                                        {"WEB_PORT", "tcp://10.88.192.7:80"},
                                        {"VERSION", "v10.88.1"},
                                        {"ELSEWHERE", "10.89.1.7"}};
  return shim;
}

TEST(Readdress, everything_keeps_its_place) {
  ShimSpec shim = old_spec();
  EXPECT_TRUE(readdress(shim, network("10.90")));
  EXPECT_EQ(shim.network.gateway, "10.90.0.1");
  EXPECT_EQ(shim.pod.address, "10.90.1.7");
  EXPECT_EQ(shim.pod.name_server, "10.90.0.1");
  EXPECT_EQ(shim.pod.hosts, "127.0.0.1\tlocalhost\n10.90.1.7\ttrain-0\n10.90.2.9\ttrain-1\n");
  const auto& environment = shim.pod.containers[0].environment;
  EXPECT_EQ(environment[0].second, "10.90.1.7");
  EXPECT_EQ(environment[1].second, "tcp://10.90.192.7:80");
  EXPECT_FALSE(readdress(shim, network("10.90")));
}

TEST(Readdress, what_is_no_address_of_it_stays) {
  ShimSpec shim = old_spec();
  readdress(shim, network("127.9"));
  EXPECT_EQ(shim.pod.address, "127.9.1.7");
  EXPECT_EQ(shim.pod.containers[0].environment[2].second, "v10.88.1");
  EXPECT_EQ(shim.pod.containers[0].environment[3].second, "10.89.1.7");
  EXPECT_EQ(shim.pod.containers[0].arguments[1], "10.88.1.7");
}

TEST(Readdress, a_pod_on_the_machines_network_stays_there) {
  ShimSpec shim = old_spec();
  shim.network.bridge.clear();
  EXPECT_TRUE(readdress(shim, network("10.90")));
  EXPECT_FALSE(shim.network.has_bridge());
}

}  // namespace
}  // namespace muster::agent
