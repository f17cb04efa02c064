// SPDX-License-Identifier: Apache-2.0
#include "agent/node_objects.h"

#include <gtest/gtest.h>

#include "objects/edit.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::Value;

constexpr Instant now = {Span::of_seconds(1'767'225'600).nanoseconds};
constexpr Instant later = {Span::of_seconds(1'767'229'200).nanoseconds};

NodeOptions options() {
  NodeOptions made =
      parse_node_option("name=n1,cpu=8,memory=16Gi,labels=zone=a,taints=gpu=yes:NoSchedule").must();
  made.pod_cidr = "10.64.1.0/24";
  return made;
}

TEST(NodeObjects, a_registered_node_says_all_and_changes_no_more) {
  const Value node = node_to_register(options(), {}, now);
  EXPECT_EQ(node["spec"]["taints"][std::size_t{0}]["key"].string_or(""), "gpu");
  EXPECT_EQ(node["spec"]["podCIDRs"][std::size_t{0}].string_or(""), "10.64.1.0/24");
  EXPECT_EQ(objects::labels_of(node)["zone"].string_or(""), "a");
  EXPECT_TRUE(registered_node(node, options()).view() == node.view());
  EXPECT_TRUE(node_with_status(node, options(), {}, later).view() == node.view());
}

TEST(NodeObjects, what_others_wrote_stays) {
  Value node = node_to_register(options(), {}, now);
  node = objects::with(node, {"metadata", "labels", "theirs"}, Value::string("x")).must();
  node = objects::with(node, {"spec", "unschedulable"}, Value::boolean(true)).must();
  node = objects::without(node, {"metadata", "labels", "zone"}).must();
  node = objects::with(node, {"spec", "taints"}, Value::array({})).must();
  const Value next = registered_node(node, options());
  EXPECT_EQ(objects::labels_of(next)["theirs"].string_or(""), "x");
  EXPECT_EQ(objects::labels_of(next)["zone"].string_or(""), "a");
  EXPECT_TRUE(next["spec"]["unschedulable"].boolean_or(false));
  EXPECT_TRUE(next["spec"]["taints"].empty());
}

TEST(NodeObjects, a_node_of_another_size_is_said_to_be_so) {
  const Value node = node_to_register(options(), {}, now);
  NodeOptions grown = options();
  grown.capacity["cpu"] = Quantity::of(16);
  const Value next = node_with_status(node, grown, {}, later);
  EXPECT_EQ(next["status"]["capacity"]["cpu"].string_or(""), "16");
  EXPECT_EQ(next["status"]["allocatable"]["cpu"].string_or(""), "16");
}

TEST(NodeObjects, a_lease_goes_to_the_node_that_is_there) {
  const Value node =
      objects::with(node_to_register(options(), {}, now), {"metadata", "uid"}, Value::string("u1"))
          .must();
  const Value lease = lease_to_create(node, now);
  EXPECT_EQ(lease["spec"]["leaseDurationSeconds"].integer_or(0), 40);
  EXPECT_EQ(lease["spec"]["renewTime"].string_or(""), "2026-01-01T00:00:00.000000Z");
  const Value successor = objects::with(node, {"metadata", "uid"}, Value::string("u2")).must();
  const Value renewed = renewed_lease(lease, successor, later);
  EXPECT_EQ(renewed["spec"]["renewTime"].string_or(""), "2026-01-01T01:00:00.000000Z");
  EXPECT_EQ(renewed["metadata"]["ownerReferences"][std::size_t{0}]["uid"].string_or(""), "u2");
}

}  // namespace

}  // namespace muster::agent
