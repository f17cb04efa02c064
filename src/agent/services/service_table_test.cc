// SPDX-License-Identifier: Apache-2.0
#include "agent/services/service_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "objects/json.h"

namespace muster::agent {
namespace {

using objects::Value;
namespace resources = objects::resources;

Value service(std::string_view more, std::string_view address = "10.71.192.10") {
  return objects::parse_json(fmt::format(R"({{"metadata":{{"name":"web","namespace":"team"}},
      "spec":{{"clusterIP":"{}","ports":[{{"name":"http","port":80,"protocol":"TCP"}}]{}}}}})",
                                         address, more))
      .must();
}

Value slice(std::string_view endpoints, std::string_view name = "web-1") {
  return objects::parse_json(fmt::format(R"({{"metadata":{{"name":"{}","namespace":"team",
      "labels":{{"kubernetes.io/service-name":"web"}}}},"addressType":"IPv4",
      "ports":[{{"name":"http","port":8080,"protocol":"TCP"}}],"endpoints":[{}]}})",
                                         name, endpoints))
      .must();
}

std::string endpoint(std::string_view address, std::string_view conditions = R"("ready":true)") {
  return fmt::format(R"({{"addresses":["{}"],"conditions":{{{}}}}})", address, conditions);
}

struct Tables : testing::Test {
  void put(const objects::Resource& resource, const Value& after, const Value& before = {}) {
    table.apply({.resource = resource, .before = before, .after = after});
  }
  // `10.71.192.10:80/tcp → 10.71.1.2:8080`, one line each.
  std::string changes() {
    std::string text;
    for (const auto& [port, served] : table.take_changes()) {
      text += fmt::format("{}:{}/{} →", port.address, port.port,
                          port.protocol == ServiceProtocol::tcp ? "tcp" : "udp");
      for (const ServiceBackend& each : served.backends) {
        text += fmt::format(" {}:{}", each.address, each.port);
      }
      text += "\n";
    }
    return text;
  }

  ServiceTable table{
      {.network = "10.71.0.0/16", .services = "10.71.192.0/18", .node_address = "10.71.0.1"}};
};

TEST_F(Tables, sends_to_ready_endpoints_and_stops_when_there_are_none) {
  put(resources::services, service(""));
  EXPECT_EQ(changes(), "");
  const Value both = slice(endpoint("10.71.1.2") + "," + endpoint("10.71.2.2"));
  put(resources::endpoint_slices, both);
  EXPECT_EQ(changes(), "10.71.192.10:80/tcp → 10.71.1.2:8080 10.71.2.2:8080\n");
  const Value one = slice(endpoint("10.71.1.2", R"("ready":false)") + "," + endpoint("10.71.2.2"));
  put(resources::endpoint_slices, one, both);
  EXPECT_EQ(changes(), "10.71.192.10:80/tcp → 10.71.2.2:8080\n");
  put(resources::endpoint_slices, one, one);
  EXPECT_EQ(changes(), "");
  put(resources::endpoint_slices, {}, one);
  EXPECT_EQ(changes(), "10.71.192.10:80/tcp →\n");
}

TEST_F(Tables, keeps_those_that_are_going_only_while_nobody_else_is_there) {
  put(resources::services, service(""));
  const std::string going =
      endpoint("10.71.1.2", R"("ready":false,"serving":true,"terminating":true)");
  const Value alone = slice(going);
  put(resources::endpoint_slices, alone);
  EXPECT_EQ(changes(), "10.71.192.10:80/tcp → 10.71.1.2:8080\n");
  put(resources::endpoint_slices, slice(going + "," + endpoint("10.71.1.3")), alone);
  EXPECT_EQ(changes(), "10.71.192.10:80/tcp → 10.71.1.3:8080\n");
}

TEST_F(Tables, sends_nothing_out_of_the_network_of_pods) {
  put(resources::services, service(""));
  put(resources::endpoint_slices, slice(endpoint("192.168.1.1") + "," + endpoint("127.0.0.1") +
                                        "," + endpoint("10.71.192.11")));
  EXPECT_EQ(changes(), "");
}

TEST_F(Tables, listens_on_node_ports_and_only_on_addresses_that_are_its_own) {
  const Value open = objects::parse_json(
                         R"({"metadata":{"name":"web","namespace":"team"},"spec":{"type":"NodePort",
      "clusterIP":"10.71.192.10","ports":[{"name":"http","port":80,"nodePort":30080}]}})")
                         .must();
  put(resources::services, open);
  put(resources::endpoint_slices, slice(endpoint("10.71.1.2")));
  EXPECT_EQ(changes(),
            "10.71.0.1:30080/tcp → 10.71.1.2:8080\n10.71.192.10:80/tcp → 10.71.1.2:8080\n");
  put(resources::services, service("", "10.71.0.1"), open);
  EXPECT_EQ(changes(), "10.71.0.1:30080/tcp →\n10.71.192.10:80/tcp →\n");
}

TEST_F(Tables, lets_a_client_stay_where_the_service_says_so) {
  put(resources::services,
      service(R"(,"sessionAffinity":"ClientIP","sessionAffinityConfig":{"clientIP":{)"
              R"("timeoutSeconds":60}})"));
  put(resources::endpoint_slices, slice(endpoint("10.71.1.2")));
  const auto changes = table.take_changes();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes.begin()->second.affinity, Span::of_seconds(60));
}

TEST_F(Tables, leads_host_ports_to_pods_that_run) {
  const auto pod = [](std::string_view phase) {
    return objects::parse_json(
               fmt::format(R"({{"metadata":{{"name":"p","namespace":"team"}},"spec":{{"containers":[
        {{"name":"c","ports":[{{"containerPort":8080,"hostPort":80}},
        {{"containerPort":53,"hostPort":53,"hostIP":"192.168.1.1","protocol":"UDP"}}]}}]}},
        "status":{{"phase":"{}","podIP":"10.71.1.2"}}}})",
                           phase))
        .must();
  };
  put(resources::pods, pod("Pending"));
  EXPECT_EQ(changes(), "");
  put(resources::pods, pod("Running"), pod("Pending"));
  EXPECT_EQ(changes(), "10.71.0.1:80/tcp → 10.71.1.2:8080\n");
  put(resources::pods, {}, pod("Running"));
  EXPECT_EQ(changes(), "10.71.0.1:80/tcp →\n");
}

TEST(networks, know_what_is_inside) {
  EXPECT_TRUE(is_in_network("10.71.255.1", "10.71.192.0/18"));
  EXPECT_FALSE(is_in_network("10.71.191.255", "10.71.192.0/18"));
  EXPECT_FALSE(is_in_network("", "10.71.192.0/18"));
  EXPECT_FALSE(is_in_network("10.71.0.1", "10.71.0.0"));
}

}  // namespace
}  // namespace muster::agent
