// SPDX-License-Identifier: Apache-2.0
#include "core/placement/place_gang.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "objects/json.h"

namespace muster::core {
namespace {

objects::Value json(std::string_view text) {
  return objects::parse_json(std::string(text)).must();
}

class place_gang_beside : public ::testing::Test {
 protected:
  place_gang_beside() {
    cpu_ = tables_->names.intern("cpu").must();
    for (const std::string name : {"n1", "n2"}) {
      const NodeId id = tables_->nodes.hold(name);
      NodeRow& row = tables_->nodes[id];
      row.present = true;
      row.spec.is_ready = true;
      row.spec.labels = {{"kubernetes.io/hostname", name}, {"zone", "z"}};
      tables_->free.add(cpu_, id, 4'000);
      tables_->free.add(tables_->names.pods(), id, 10);
    }
    labels_ = {{"app", "train"}};
  }

  void wants(std::string_view spec) { neighbours_ = read_pod_neighbours(json(spec)).must(); }

  // Pods with its own label, on the same host.
  void wants_own_kind(std::string_view affinity) {
    wants(fmt::format(R"({{"affinity":{{"{}":{{"requiredDuringSchedulingIgnoredDuringExecution":[)"
                      R"({{"labelSelector":{{"matchLabels":{{"app":"train"}}}},)"
                      R"("topologyKey":"kubernetes.io/hostname"}}]}}}}}})",
                      affinity));
  }

  GangPlacement place(std::int64_t count, std::int64_t cpu = 1'000) {
    requests_ = {{cpu_, cpu}};
    GangPart part{.pod_set = "main", .requests = &requests_, .wish = {}, .count = count};
    part.wish.terms = &terms_;
    part.kind = {"a", &labels_, &neighbours_};
    Trial trial(tables_->undo);
    return place_gang(*tables_, trial, {&part, 1});
  }

  std::unique_ptr<Tables> tables_ = std::make_unique<Tables>();
  ResourceId cpu_;
  Labels labels_;
  PodNeighbours neighbours_;
  SchedulingTerms terms_;
  Amounts requests_;
};

TEST_F(place_gang_beside, spreads_pods_that_keep_each_other_at_a_distance) {
  wants_own_kind("podAntiAffinity");
  const GangPlacement two = place(2);
  ASSERT_TRUE(two.fits());
  ASSERT_EQ(two.parts[0].size(), 2U);
  EXPECT_EQ(two.parts[0][0].count, 1);
  const GangPlacement three = place(3);
  ASSERT_FALSE(three.fits());
  EXPECT_EQ(three.failure->fit, 2);
  EXPECT_EQ(three.failure->exclusions.tally(), "podAntiAffinity: 2");
  EXPECT_TRUE(three.failure->short_resource.is_none());
}

TEST_F(place_gang_beside, lets_the_first_pod_of_a_kind_stand_alone_and_the_others_beside_it) {
  wants_own_kind("podAffinity");
  EXPECT_EQ(place(4).parts[0].size(), 1U);
  EXPECT_FALSE(place(5).fits());
  labels_ = {{"app", "other"}};
  EXPECT_EQ(place(1).failure->exclusions.tally(), "podAffinity: 2");
}

TEST_F(place_gang_beside, gives_a_port_of_a_host_to_one_pod) {
  wants(R"({"containers":[{"name":"c","ports":[{"containerPort":80,"hostPort":8080}]}]})");
  EXPECT_EQ(place(2).parts[0].size(), 2U);
  EXPECT_EQ(place(3).failure->exclusions.tally(), "hostPort: 2");
}

TEST_F(place_gang_beside, says_what_the_nodes_are_short_of_and_by_how_much) {
  const GangPlacement placed = place(10);
  ASSERT_FALSE(placed.fits());
  EXPECT_EQ(placed.failure->fit, 8);
  EXPECT_EQ(placed.failure->short_resource, cpu_);
  EXPECT_EQ(placed.failure->missing, 2'000);
}

TEST_F(place_gang_beside, remembers_which_nodes_are_full_until_room_is_given_back) {
  requests_ = {{cpu_, 2'000}};
  GangPart part{.pod_set = "main", .requests = &requests_, .wish = {}, .count = 1};
  part.wish.terms = &terms_;
  PlaceMemory memory;
  Trial cycle(tables_->undo);
  std::vector<std::string> nodes;
  for (int i = 0; i < 4; ++i) {
    const GangPlacement placed = place_gang(*tables_, cycle, {&part, 1}, &memory);
    nodes.push_back(tables_->nodes.key(placed.parts[0][0].node));
  }
  EXPECT_EQ(nodes, (std::vector<std::string>{"n1", "n1", "n2", "n2"}));
  EXPECT_EQ(place_gang(*tables_, cycle, {&part, 1}, &memory).failure->fit, 0);
  cycle.add(tables_->free.cell(cpu_, tables_->nodes.find("n1")), 2'000);
  EXPECT_TRUE(place_gang(*tables_, cycle, {&part, 1}, &memory).fits());
}

}  // namespace
}  // namespace muster::core
