// SPDX-License-Identifier: Apache-2.0
#include "server/service_addresses.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "objects/metadata.h"
#include "objects/resource.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

namespace resources = objects::resources;
using objects::Value;
using testing::HasSubstr;
using testing::StartsWith;

std::string service(std::string_view name, std::string_view more = "") {
  return fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"ports":[{{"port":80}}]{}}}}})", name,
                     more);
}

std::string refusal(ServerWorld& world, const std::string& body) {
  const auto made = world.try_create(resources::services, "default", body);
  return made ? "made" : made.error().message;
}

std::string address_of(const Value& made) {
  return std::string(made["spec"]["clusterIP"].string_or(""));
}

std::int64_t node_port_of(const Value& made) {
  return made["spec"]["ports"][0]["nodePort"].integer_or(0);
}

TEST(service_addresses, are_given_one_to_a_service) {
  ServerWorld world;
  std::set<std::string> addresses;
  for (int i = 0; i < 50; ++i) {
    const Value made = world.create(resources::services, "default", service(fmt::format("s{}", i)));
    EXPECT_THAT(address_of(made), StartsWith("10.96."));
    EXPECT_EQ(made["spec"]["clusterIPs"][0].string_or(""), address_of(made));
    EXPECT_EQ(made["spec"]["ipFamilies"][0].string_or(""), "IPv4");
    EXPECT_EQ(made["spec"]["ipFamilyPolicy"].string_or(""), "SingleStack");
    EXPECT_TRUE(made["status"]["conditions"].is_absent());
    addresses.insert(address_of(made));
  }
  EXPECT_EQ(addresses.size(), 50U);
}

TEST(service_addresses, are_those_that_were_asked_for_where_they_are_free) {
  ServerWorld world;
  const std::string asked = service("a", R"(,"clusterIP":"10.96.0.10")");
  EXPECT_EQ(address_of(world.create(resources::services, "default", asked)), "10.96.0.10");
  EXPECT_EQ(refusal(world, service("b", R"(,"clusterIP":"10.96.0.10")")),
            "Service \"b\" is invalid: spec.clusterIPs: Invalid value: [\"10.96.0.10\"]: failed to "
            "allocate IP 10.96.0.10: provided IP is already allocated");
  EXPECT_EQ(refusal(world, service("b", R"(,"clusterIP":"10.1.0.10")")),
            "Service \"b\" is invalid: spec.clusterIPs: Invalid value: [\"10.1.0.10\"]: failed to "
            "allocate IP 10.1.0.10: the provided IP (10.1.0.10) is not in the valid range. The "
            "range of valid IPs is 10.96.0.0/16");
  EXPECT_THAT(refusal(world, service("b", R"(,"clusterIP":"fd00::1")")),
              HasSubstr("IPv6 is not configured on this cluster"));
  // A restart knows them, a deletion frees them.
  world.restart();
  EXPECT_THAT(refusal(world, service("b", R"(,"clusterIP":"10.96.0.10")")),
              HasSubstr("already allocated"));
  world.try_remove(resources::services, "default", "a").must();
  EXPECT_EQ(refusal(world, service("b", R"(,"clusterIP":"10.96.0.10")")), "made");
}

TEST(service_addresses, are_never_given_twice_while_writes_are_under_way) {
  ServerWorld world;
  int made = 0;
  int refused = 0;
  for (int i = 0; i < 10; ++i) {
    world.api->call({.verb = client::Verb::create,
                     .resource = resources::services,
                     .name_space = "default",
                     .body = json(service(fmt::format("s{}", i), R"(,"clusterIP":"10.96.0.9")"))},
                    [&](const Result<Value>& answer) { answer ? ++made : ++refused; });
  }
  world.time.run_until([&] { return made + refused == 10; });
  EXPECT_EQ(made, 1);
}

TEST(service_addresses, stay_with_a_service_and_go_with_its_type) {
  ServerWorld world;
  const Value made = world.create(resources::services, "default", service("a"));
  const Value patched =
      world.try_patch(resources::services, "default", "a", R"({"spec":{"selector":{"x":"y"}}})")
          .must();
  EXPECT_EQ(address_of(patched), address_of(made));
  EXPECT_THAT(
      world.try_patch(resources::services, "default", "a", R"({"spec":{"clusterIP":"10.96.0.77"}})")
          .error()
          .message,
      HasSubstr("may not change once set"));
  const Value elsewhere =
      world
          .try_patch(resources::services, "default", "a",
                     R"({"spec":{"type":"ExternalName","externalName":"a.example.org"}})")
          .must();
  EXPECT_TRUE(elsewhere["spec"]["clusterIP"].is_absent());
  EXPECT_TRUE(elsewhere["spec"]["ipFamilies"].is_absent());
  EXPECT_EQ(refusal(world, service("b", R"(,"clusterIP":")" + address_of(made) + R"(")")), "made");
  const Value back = world
                         .try_patch(resources::services, "default", "a",
                                    R"({"spec":{"type":"ClusterIP","externalName":null}})")
                         .must();
  EXPECT_NE(address_of(back), "");
  EXPECT_NE(address_of(back), address_of(made));
}

TEST(node_ports, are_given_kept_and_let_go) {
  ServerWorld world;
  const Value made =
      world.create(resources::services, "default", service("a", R"(,"type":"NodePort")"));
  const std::int64_t port = node_port_of(made);
  EXPECT_GE(port, 30'000);
  EXPECT_LE(port, 32'767);
  EXPECT_EQ(refusal(world, fmt::format(R"({{"metadata":{{"name":"b"}},"spec":{{"type":"NodePort",
      "ports":[{{"port":80,"nodePort":{}}}]}}}})",
                                       port)),
            fmt::format("Service \"b\" is invalid: spec.ports[0].nodePort: Invalid value: {}: "
                        "provided port is already allocated",
                        port));
  EXPECT_EQ(refusal(world, R"({"metadata":{"name":"b"},"spec":{"type":"NodePort",
      "ports":[{"port":80,"nodePort":80}]}})"),
            "Service \"b\" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is "
            "not in the valid range. The range of valid ports is 30000-32767");
  const Value replaced =
      world
          .try_update(resources::services, json(R"({"metadata":{"name":"a","namespace":"default"},
      "spec":{"type":"NodePort","ports":[{"port":81}]}})"))
          .must();
  EXPECT_EQ(node_port_of(replaced), port);
  const Value inside =
      world.try_patch(resources::services, "default", "a", R"({"spec":{"type":"ClusterIP"}})")
          .must();
  EXPECT_EQ(node_port_of(inside), 0);
  EXPECT_TRUE(inside["spec"]["externalTrafficPolicy"].is_absent());
}

TEST(node_ports, are_shared_by_the_protocols_of_one_port) {
  ServerWorld world;
  const Value made = world.create(resources::services, "default",
                                  R"({"metadata":{"name":"dns"},"spec":{"type":"NodePort","ports":[
      {"name":"t","port":53},{"name":"u","port":53,"protocol":"UDP"},{"name":"x","port":54}]}})");
  const auto ports = made["spec"]["ports"];
  EXPECT_EQ(ports[0]["nodePort"].integer_or(0), ports[1]["nodePort"].integer_or(1));
  EXPECT_NE(ports[0]["nodePort"].integer_or(0), ports[2]["nodePort"].integer_or(0));
}

TEST(load_balancers, say_that_nobody_makes_them) {
  ServerWorld world;
  const Value made =
      world.create(resources::services, "default",
                   service("a", R"(,"type":"LoadBalancer","externalTrafficPolicy":"Local")"));
  EXPECT_NE(node_port_of(made), 0);
  EXPECT_NE(made["spec"]["healthCheckNodePort"].integer_or(0), 0);
  const auto condition = objects::condition(made, "muster.dev/Unserved");
  EXPECT_TRUE(objects::is_true(condition));
  EXPECT_EQ(condition["reason"].string_or(""), "NoLoadBalancer");
}

}  // namespace
}  // namespace muster::server
