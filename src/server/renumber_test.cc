// SPDX-License-Identifier: Apache-2.0
#include "server/renumber.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "objects/resource.h"
#include "server/stored_object.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

namespace resources = objects::resources;
using objects::Value;
using testing::HasSubstr;

const Renumbering moved = {
    .former = "10.88.0.0/16", .present = "10.90.0.0/16", .services = "10.90.192.0/18"};

// As they lie in a folder whose network was 10.88.0.0/16.
struct OldFolder {
  OldFolder() {
    put("nodes/a", R"("spec":{"podCIDR":"10.88.1.0/24","podCIDRs":["10.88.1.0/24"]})");
    put("nodes/far", R"("spec":{"podCIDR":"100.64.0.0/24","podCIDRs":["100.64.0.0/24"]})");
    put("services/default/kubernetes", R"("spec":{"clusterIP":"10.88.0.1"})");
    put("services/team/web", R"("spec":{"clusterIP":"10.88.200.7","clusterIPs":["10.88.200.7"]})");
    put("services/team/gang", R"("spec":{"clusterIP":"None","clusterIPs":["None"]})");
    put("pods/team/runs", pod_body("Running"));
    put("pods/team/ended", pod_body("Succeeded"));
  }

  static std::string pod_body(std::string_view phase) {
    return fmt::format(
        R"("status":{{"phase":"{}","podIP":"10.88.1.7","podIPs":[{{"ip":"10.88.1.7"}}],)"
        R"("hostIP":"10.88.0.1"}})",
        phase);
  }

  void put(std::string_view place, std::string_view body) {
    const std::string at = key(place);
    const KeyParts parts = *parse_key(at);
    const std::string text =
        fmt::format(R"({{"kind":"K","apiVersion":"v1","metadata":{{"name":"{}","namespace":"{}",)"
                    R"("annotations":{{"muster.dev/pod-ip":"10.88.1.7"}}}},{}}})",
                    parts.name, parts.name_space, body);
    world.store->put_if(at, stored_bytes(json(text), R"([{"manager":"kubectl"}])"),
                        store::Expected::any(), [](auto written) { std::move(written).must(); });
    world.time.run_for(Span::of_milliseconds(10));
  }

  // How many objects were changed.
  std::size_t renumber(const Renumbering& how) {
    std::optional<Result<std::size_t>> answer;
    server::renumber(*world.store, how, [&](Result<std::size_t> given) { answer = given; });
    world.time.run_until([&] { return answer.has_value(); });
    return std::move(*answer).must();
  }

  std::string key(std::string_view place) const { return fmt::format("/registry/core/{}", place); }

  std::string text(std::string_view place) const {
    return std::string(world.store->get(key(place)).must().value.view());
  }

  Value object(std::string_view place) const { return json(object_text(text(place))); }

  std::string address(std::string_view place) const {
    return std::string(object(place)["spec"]["clusterIP"].string_or(""));
  }

  ServerWorld world;
};

TEST(renumber, everything_keeps_its_place_in_the_new_network) {
  OldFolder folder;
  EXPECT_EQ(folder.renumber(moved), 3U);
  const Value node = folder.object("nodes/a");
  EXPECT_EQ(node["spec"]["podCIDR"].string_or(""), "10.90.1.0/24");
  EXPECT_EQ(node["spec"]["podCIDRs"][0].string_or(""), "10.90.1.0/24");
  const Value service = folder.object("services/team/web");
  EXPECT_EQ(service["spec"]["clusterIP"].string_or(""), "10.90.200.7");
  EXPECT_EQ(service["spec"]["clusterIPs"][0].string_or(""), "10.90.200.7");
  const Value pod = folder.object("pods/team/runs");
  EXPECT_EQ(pod["metadata"]["annotations"]["muster.dev/pod-ip"].string_or(""), "10.90.1.7");
  EXPECT_EQ(pod["status"]["podIP"].string_or(""), "10.90.1.7");
  EXPECT_EQ(pod["status"]["podIPs"][0]["ip"].string_or(""), "10.90.1.7");
  EXPECT_EQ(pod["status"]["hostIP"].string_or(""), "10.90.0.1");
  EXPECT_THAT(folder.text("pods/team/runs"), HasSubstr("\n[{\"manager\":\"kubectl\"}]"));
}

TEST(renumber, what_was_elsewhere_or_has_ended_stays) {
  OldFolder folder;
  folder.renumber(moved);
  EXPECT_EQ(folder.object("nodes/far")["spec"]["podCIDR"].string_or(""), "100.64.0.0/24");
  EXPECT_EQ(folder.object("pods/team/ended")["status"]["podIP"].string_or(""), "10.88.1.7");
  EXPECT_EQ(folder.address("services/team/gang"), "None");
  EXPECT_EQ(folder.address("services/default/kubernetes"), "10.88.0.1");
}

TEST(renumber, a_second_time_changes_nothing) {
  OldFolder folder;
  folder.renumber(moved);
  EXPECT_EQ(folder.renumber(moved), 0U);
}

TEST(renumber, the_same_network_changes_nothing) {
  OldFolder folder;
  folder.put("services/team/first", R"("spec":{"clusterIP":"10.88.192.1"})");
  EXPECT_EQ(
      folder.renumber(
          {.former = "10.88.0.0/16", .present = "10.88.0.0/16", .services = "10.88.192.0/18"}),
      0U);
}

TEST(renumber, services_without_a_place_get_one_that_is_free) {
  OldFolder folder;
  folder.put("services/team/one", R"("spec":{"clusterIP":"10.96.0.5"})");
  folder.put("services/team/two", R"("spec":{"clusterIP":"10.96.0.6"})");
  folder.put("services/team/zoo", R"("spec":{"clusterIP":"10.90.200.7"})");
  folder.renumber(moved);
  std::set<std::string> addresses;
  for (const std::string_view name : {"web", "one", "two", "zoo"}) {
    const std::string address = folder.address(fmt::format("services/team/{}", name));
    EXPECT_TRUE(address.starts_with("10.90.")) << address;
    addresses.insert(address);
  }
  EXPECT_EQ(addresses.size(), 4U);
  EXPECT_EQ(folder.renumber(moved), 0U);
}

TEST(renumber, nodes_get_the_ranges_that_are_said) {
  OldFolder folder;
  Renumbering how = moved;
  how.ranges = {{"far", "10.90.2.0/24"}, {"new", "10.90.3.0/24"}};
  EXPECT_EQ(folder.renumber(how), 4U);
  EXPECT_EQ(folder.object("nodes/far")["spec"]["podCIDR"].string_or(""), "10.90.2.0/24");
  const NodeRanges ranges = stored_node_ranges(*folder.world.store).must();
  EXPECT_EQ(ranges, (NodeRanges{{"a", "10.90.1.0/24"}, {"far", "10.90.2.0/24"}}));
}

TEST(renumber, many_objects_are_written_in_several_goes) {
  OldFolder folder;
  constexpr int many = 2'500;
  for (int i = 0; i < many; ++i) {
    folder.put(fmt::format("pods/team/p{}", i), OldFolder::pod_body("Pending"));
  }
  EXPECT_EQ(folder.renumber(moved), many + 3U);
}

}  // namespace
}  // namespace muster::server
