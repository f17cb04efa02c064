// SPDX-License-Identifier: Apache-2.0
#include "core/placement/topology.h"

#include <gtest/gtest.h>

#include <string>

#include "core/model/read_topology.h"
#include "core/placement/topology_place.h"
#include "core/plan/policy.h"
#include "objects/json.h"
#include "tests/topology/topology_world.h"

namespace muster::core {
namespace {

using Mode = TopologyRequest::Mode;

// Two racks of two hosts, each with room for four pods of one cpu.
class topology : public ::testing::Test {
 protected:
  topology() {
    for (const char* rack : {"r1", "r1", "r2", "r2"}) world_.add_node({.path = {rack}, .cpu = 4});
  }

  GangPodSet workers(Mode mode, const std::string& level = "level-0") {
    GangPodSet set = world_.pod_set("workers", 0, {1, 0});
    set.topology.mode = mode;
    set.topology.level = level;
    return set;
  }

  TopologyResult assign(const GangPodSet& set, std::int64_t count, TopologyOptions options = {}) {
    const TopologyPodSet pod_set{.flavor = world_.flavor(), .count = count, .set = &set};
    return assign_topology(world_.tables(), policy_, workload_, {&pod_set, 1}, options);
  }

  static std::string text(const TopologyResult& result, std::size_t i = 0) {
    if (result.failure) return result.failure->to_string();
    std::string all;
    for (const TopologyDomain& domain : result.pod_sets[i]->domains) {
      for (const std::string& value : domain.values) all += value + ":";
      all += std::to_string(domain.count) + " ";
    }
    return all;
  }

  TopologyWorld world_{2, true};
  Policy policy_;
  Workload workload_;
};

TEST_F(topology, keeps_a_gang_in_one_rack_where_that_is_required) {
  EXPECT_EQ(text(assign(workers(Mode::required), 6)), "n0:4 n1:2 ");
  EXPECT_EQ(text(assign(workers(Mode::required), 9)),
            "topology \"topology\" allows to fit only 8 out of 9 pod(s)");
}

TEST_F(topology, goes_beyond_the_rack_where_it_is_only_preferred) {
  EXPECT_EQ(text(assign(workers(Mode::preferred), 9)), "n0:4 n1:4 n2:1 ");
}

TEST_F(topology, has_a_place_for_every_pod_or_for_none) {
  GangPodSet set = workers(Mode::required);
  set.topology.slices = {{"kubernetes.io/hostname", 2}};
  EXPECT_EQ(text(assign(set, 6)), "n0:4 n1:2 ");
  EXPECT_EQ(text(assign(set, 5)), "the pod count 5 is not a multiple of the slice size 2");
  EXPECT_EQ(text(assign(set, 1)), "the pod count 1 is not a multiple of the slice size 2");
  policy_.drops_slice_remainders = true;
  EXPECT_EQ(text(assign(set, 5)), "n0:4 ");
}

TEST_F(topology, says_which_nodes_were_excluded) {
  world_.add_node({.path = {"r3"}, .cpu = 0});
  world_.add_node({.path = {"r3"}, .cpu = 4, .tainted = true});
  EXPECT_EQ(text(assign(workers(Mode::required), 9)),
            "topology \"topology\" allows to fit only 8 out of 9 pod(s). Total nodes: 6; "
            "excluded: resource \"cpu\": 1, taint \"maintenance:NoSchedule\": 1");
}

TEST_F(topology, has_no_place_in_an_empty_cluster) {
  TopologyWorld empty(2, true);
  const GangPodSet set = workers(Mode::required);
  const TopologyPodSet pod_set{.flavor = empty.flavor(), .count = 1, .set = &set};
  const TopologyResult found =
      assign_topology(empty.tables(), policy_, workload_, {&pod_set, 1}, {});
  EXPECT_EQ(text(found), "no topology domains at level: level-0");
}

TEST_F(topology, places_later_pod_sets_beside_earlier_ones) {
  const GangPodSet set = workers(Mode::required);
  const TopologyPodSet twice[] = {
      {.pod_set = 0, .flavor = world_.flavor(), .count = 6, .set = &set},
      {.pod_set = 1, .flavor = world_.flavor(), .count = 6, .set = &set}};
  const TopologyResult found = assign_topology(world_.tables(), policy_, workload_, twice, {});
  EXPECT_EQ(text(found, 0), "n0:4 n1:2 ");
  EXPECT_EQ(text(found, 1), "n2:4 n3:2 ");
}

TEST_F(topology, gives_a_leader_a_place_among_its_workers) {
  GangPodSet set = workers(Mode::required);
  set.topology.group = "pair";
  GangPodSet leader = world_.pod_set("leader", 1, {2, 0});
  leader.topology = set.topology;
  const TopologyPodSet pair[] = {
      {.pod_set = 0, .flavor = world_.flavor(), .count = 1, .set = &leader},
      {.pod_set = 1, .flavor = world_.flavor(), .count = 6, .set = &set}};
  const TopologyResult found = assign_topology(world_.tables(), policy_, workload_, pair, {});
  EXPECT_EQ(text(found, 0), "n0:1 ");
  EXPECT_EQ(text(found, 1), "n0:2 n1:4 ");
}

TEST_F(topology, takes_room_within_a_trial_and_gives_it_back) {
  const GangPodSet set = workers(Mode::required);
  const TopologyResult found = assign(set, 8);
  {
    Trial trial(world_.tables().undo);
    take_topology(world_.tables(), trial, found.usage);
    EXPECT_FALSE(topology_fits(world_.tables(), policy_, found.usage));
    EXPECT_EQ(text(assign(set, 8)), "n2:4 n3:4 ");
    EXPECT_EQ(text(assign(set, 8, {.simulate_empty = true})), "n0:4 n1:4 ");
    give_topology(world_.tables(), trial, found.usage);
    EXPECT_TRUE(topology_fits(world_.tables(), policy_, found.usage));
    take_topology(world_.tables(), trial, found.usage);
  }
  EXPECT_EQ(text(assign(set, 8)), "n0:4 n1:4 ");
}

TEST_F(topology, moves_only_the_pods_of_a_failed_node_and_within_the_rack) {
  const GangPodSet set = workers(Mode::required);
  std::vector<PodSetAssignment> admitted(1);
  admitted[0].name = "workers";
  admitted[0].topology = TopologyAssignment{.levels = {"kubernetes.io/hostname"},
                                            .domains = {{{"gone"}, 2}, {{"n3"}, 1}}};
  workload_.admission.edit().pod_sets = SharedList(admitted);
  workload_.extras.edit().unhealthy_nodes = {"gone"};
  EXPECT_EQ(text(assign(set, 3)), "n2:2 n3:1 ");
  admitted[0].topology->domains.push_back({{"lost"}, 1});
  workload_.admission.edit().pod_sets = SharedList(admitted);
  EXPECT_EQ(text(assign(set, 4)),
            "Cannot replace the node, because the existing topologyAssignment is invalid, as it "
            "contains the stale domain lost");
}

TEST_F(topology, says_which_level_is_missing) {
  EXPECT_EQ(text(assign(workers(Mode::required, "zone"), 1)), "no requested topology level: zone");
  GangPodSet set = workers(Mode::required, "kubernetes.io/hostname");
  set.topology.slices = {{"level-0", 2}};
  EXPECT_EQ(text(assign(set, 2)),
            "podset slice topology level-0 is above the podset topology kubernetes.io/hostname");
  EXPECT_FALSE(
      has_levels(world_.tables(), world_.flavor(), workers(Mode::required, "zone").topology));
  EXPECT_TRUE(has_levels(world_.tables(), world_.flavor(), workers(Mode::unconstrained).topology));
  EXPECT_FALSE(has_levels(world_.tables(), world_.flavor(), workers(Mode::none).topology));
}

TEST_F(topology, sees_the_usage_of_flavors_with_the_same_hosts) {
  Tables& tables = world_.tables();
  const FlavorId other = tables.flavors.hold("other");
  tables.flavors[other].present = true;
  tables.flavors[other].spec.topology_name = "topology";
  tables.topologies.forget_trees();
  world_.add_reserved(0, {1, 0}, 4);
  const GangPodSet set = workers(Mode::required);
  const TopologyPodSet pod_set{.flavor = other, .count = 6, .set = &set};
  EXPECT_EQ(text(assign_topology(tables, policy_, workload_, {&pod_set, 1}, {})), "n2:4 n3:2 ");
  tables.configuration.gates.set(Gate::tas_handle_overlapping_flavors, false);
  EXPECT_EQ(text(assign_topology(tables, policy_, workload_, {&pod_set, 1}, {})), "n0:4 n1:2 ");
}

TEST_F(topology, writes_an_assignment_as_slices) {
  const TopologyAssignment assignment{
      .levels = {"kubernetes.io/hostname"},
      .domains = {{{"a-0"}, 1}, {{"a-1"}, 1}, {{"b-0"}, 2}, {{"b-1"}, 2}}};
  const std::string one = objects::to_json(to_value(assignment, false));
  EXPECT_EQ(one, R"({"levels":["kubernetes.io/hostname"],"slices":[{"domainCount":4,)"
                 R"("valuesPerLevel":[{"individual":{"roots":["a-0","a-1","b-0","b-1"]}}],)"
                 R"("podCounts":{"individual":[1,1,2,2]}}]})");
}

}  // namespace
}  // namespace muster::core
