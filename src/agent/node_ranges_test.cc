// SPDX-License-Identifier: Apache-2.0
#include "agent/node_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<NodeOptions> named(const std::vector<std::string>& names) {
  std::vector<NodeOptions> nodes;
  for (const std::string& name : names) nodes.push_back({.name = name});
  return nodes;
}

std::vector<std::string> given(std::vector<NodeOptions> nodes, const KnownRanges& known,
                               const RangeSupply& supply = host_ranges("10.88.0.0/16")) {
  give_node_ranges(nodes, known, supply).must();
  std::vector<std::string> ranges;
  for (const NodeOptions& node : nodes) ranges.push_back(node.pod_cidr);
  return ranges;
}

TEST(NodeRanges, are_one_to_a_node_after_that_of_the_gateway) {
  EXPECT_THAT(given(named({"a", "b"}), {}), ElementsAre("10.88.1.0/24", "10.88.2.0/24"));
  EXPECT_THAT(given(named({"a", "b"}), {}, pretended_ranges()),
              ElementsAre("100.64.0.0/24", "100.64.1.0/24"));
}

TEST(NodeRanges, stay_with_their_node_in_whatever_order_they_are_declared) {
  const KnownRanges known = {{"a", "10.88.1.0/24"}, {"b", "10.88.2.0/24"}};
  EXPECT_THAT(given(named({"c", "b", "a"}), known),
              ElementsAre("10.88.3.0/24", "10.88.2.0/24", "10.88.1.0/24"));
}

TEST(NodeRanges, of_nodes_that_are_not_declared_any_more_are_not_given_again) {
  EXPECT_THAT(given(named({"new"}), {{"gone", "10.88.1.0/24"}}), ElementsAre("10.88.2.0/24"));
}

TEST(NodeRanges, that_somebody_asked_for_are_his) {
  std::vector<NodeOptions> nodes = named({"a", "b"});
  nodes[1].pod_cidr = "10.88.1.0/24";
  EXPECT_THAT(given(nodes, {}), ElementsAre("10.88.2.0/24", "10.88.1.0/24"));
}

TEST(NodeRanges, of_another_kind_of_node_are_not_kept) {
  EXPECT_THAT(given(named({"a"}), {{"a", "100.64.0.0/24"}}), ElementsAre("10.88.1.0/24"));
}

TEST(NodeRanges, end_before_the_services) {
  std::vector<std::string> names;
  for (int i = 0; i < 191; ++i) names.push_back("n" + std::to_string(i));
  EXPECT_EQ(given(named(names), {}).back(), "10.88.191.0/24");
  names.push_back("one-too-many");
  std::vector<NodeOptions> nodes = named(names);
  const auto refused = give_node_ranges(nodes, {}, host_ranges("10.88.0.0/16"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("node one-too-many gets no addresses"));
}

}  // namespace
}  // namespace muster::agent
