// The search in topologies against a second one that is slow and obvious.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/placement/topology_place.h"
#include "tests/topology/slow_topology.h"
#include "tests/topology/topology_world.h"

namespace muster::core {
namespace {

template <class Number>
Number between(Number least, Number most) {
  return *rc::gen::inRange<Number>(least, most + 1);
}

bool one_in(int chance) {
  return between(1, chance) == 1;
}

TopologyWorld random_world() {
  const auto height = between<std::size_t>(1, 4);
  const bool by_host = !one_in(4);
  TopologyWorld world(height, by_host);
  const auto nodes = between<std::size_t>(1, 12);
  for (std::size_t n = 0; n < nodes; ++n) {
    WorldNode node{.path = {}};
    for (std::size_t i = 0; i + (by_host ? 1 : 0) < height; ++i) {
      node.path.push_back(fmt::format("v{}", between(0, 2)));
    }
    node.cpu = between<std::int64_t>(0, 9);
    node.gpu = between<std::int64_t>(0, 3);
    node.pods = between<std::int64_t>(0, 9);
    node.pool = one_in(3) ? "b" : "a";
    node.tainted = one_in(8);
    world.add_node(node);
  }
  if (one_in(2)) world.tree();  // what comes now changes it, instead of being there when it is made
  const auto pods = between<std::size_t>(0, 6);
  for (std::size_t i = 0; i < pods; ++i) {
    const WorldPod pod{between<std::int64_t>(0, 3), between<std::int64_t>(0, 1)};
    const auto node = between<std::size_t>(0, nodes - 1);
    if (one_in(2)) {
      world.add_outside_pod(node, pod);
    } else {
      world.add_reserved(node, pod, between<std::int64_t>(1, 2));
    }
  }
  return world;
}

// A pod set, and the same for the slow search.
struct Wanted {
  GangPodSet workers;
  std::optional<GangPodSet> leader;
  slow::SlowRequest request;
  bool simulate_empty = false;
  bool mixed_profile = true;
  std::string pool;
};

void choose_layers(const TopologyWorld& world, Wanted& wanted) {
  TopologyRequest& topology = wanted.workers.topology;
  std::size_t level = between(wanted.request.level, world.height() - 1);
  std::int64_t size = std::vector<std::int64_t>{1, 2, 4, 3}[between<std::size_t>(0, 3)];
  wanted.request.count = size * between<std::int64_t>(1, 4);
  for (int layers = 0; layers < 3 && level < world.height(); ++layers) {
    topology.slices.push_back({world.levels()[level], size});
    wanted.request.layers.push_back({level, size});
    if (size == 1 || one_in(2)) break;
    size = size % 2 == 0 ? size / 2 : 1;
    ++level;
  }
  topology.has_layers = topology.slices.size() > 1;
}

Wanted random_wish(const TopologyWorld& world) {
  using Mode = TopologyRequest::Mode;
  Wanted wanted;
  const WorldPod pod{between<std::int64_t>(0, 3), one_in(3) ? 1 : 0};
  wanted.workers = world.pod_set("workers", 0, pod);
  TopologyRequest& topology = wanted.workers.topology;
  slow::SlowRequest& request = wanted.request;
  request.count = between<std::int64_t>(1, 14);
  request.pod = TopologyWorld::slow_pod(pod);
  request.level = between<std::size_t>(0, world.height() - 1);
  topology.mode = std::vector{Mode::required, Mode::preferred, Mode::unconstrained,
                              Mode::none}[between<std::size_t>(0, 3)];
  topology.level = world.levels()[request.level];
  request.required = topology.mode == Mode::required;
  const bool names_level = request.required || topology.mode == Mode::preferred;
  const bool has_slices = topology.mode == Mode::none || one_in(2);
  request.unconstrained = !names_level;
  if (!names_level) request.level = has_slices ? 0 : world.height() - 1;
  if (has_slices) choose_layers(world, wanted);
  wanted.mixed_profile = !one_in(3);
  request.least_free = request.unconstrained && wanted.mixed_profile;
  if (one_in(3)) {
    const WorldPod leader{between<std::int64_t>(0, 4), one_in(3) ? 1 : 0};
    wanted.leader = world.pod_set("leader", 1, leader);
    request.leader = TopologyWorld::slow_pod(leader);
  }
  wanted.simulate_empty = one_in(4);
  if (one_in(3)) {
    wanted.pool = "a";
    wanted.workers.terms.node_selector = {{"pool", "a"}};
  }
  return wanted;
}

std::string text(const std::optional<slow::SlowPlaces>& places, std::int64_t fit) {
  if (!places) return fmt::format("only {}", fit);
  std::string all;
  for (const auto& [path, pods] : *places) {
    for (const std::string& value : path) all += value + ",";
    all += fmt::format(" {}+{}\n", pods.workers, pods.leaders);
  }
  return all;
}

// What the fast search finds, as places of the slow one.
std::string found_text(TopologyWorld& world, const Wanted& wanted, std::int64_t& fit) {
  Tables& tables = world.tables();
  tables.configuration.gates.set(Gate::tas_profile_mixed, wanted.mixed_profile);
  PlaceFinder finder(tables, world.tree(), world.flavor(),
                     {.simulate_empty = wanted.simulate_empty});
  const FoundPlace place = finder.find({.workers = &wanted.workers,
                                        .request = &wanted.workers.topology,
                                        .count = wanted.request.count,
                                        .leader = wanted.leader ? &*wanted.leader : nullptr});
  if (!place.fits) {
    const std::string none =
        fmt::format("topology \"topology\" doesn't allow to fit any of {} ",
                    wanted.request.count /
                        (wanted.request.layers.empty() ? 1 : wanted.request.layers.front().size));
    if (place.sentence.starts_with(none)) fit = 0;
    const std::string some = "topology \"topology\" allows to fit only ";
    if (place.sentence.starts_with(some)) fit = std::stoll(place.sentence.substr(some.size()));
    return fmt::format("only {}", fit);
  }
  slow::SlowPlaces places;
  const auto path = [&](std::uint32_t leaf) {
    const auto values = world.tree().values(leaf);
    return slow::Path(values.begin(), values.end());
  };
  for (const TopologyDomainUsage& leaf : place.workers) {
    places[path(leaf.leaf)].workers = leaf.count;
  }
  for (const TopologyDomainUsage& leaf : place.leader) {
    places[path(leaf.leaf)].leaders = leaf.count;
  }
  return text(places, 0);
}

std::string expected_text(const TopologyWorld& world, const Wanted& wanted, std::int64_t& fit) {
  slow::SlowTopology slow(world.height(), world.slow_nodes(wanted.simulate_empty, wanted.pool),
                          wanted.request);
  const auto places = slow.place();
  fit = slow.fit();
  return text(places, fit);
}

// Nested slices have a message of their own, without a number that could be compared.
bool has_number(const Wanted& wanted) {
  return wanted.request.layers.size() < 2;
}

RC_GTEST_PROP(topology_search, finds_what_the_slow_search_finds, ()) {
  TopologyWorld world = random_world();
  const Wanted wanted = random_wish(world);
  std::int64_t slow_fit = 0;
  std::int64_t fit = -1;
  const std::string expected = expected_text(world, wanted, slow_fit);
  if (!has_number(wanted)) fit = slow_fit;
  RC_ASSERT(found_text(world, wanted, fit) == expected);
}

RC_GTEST_PROP(topology_search, keeps_its_counts_right_while_room_changes, ()) {
  TopologyWorld world = random_world();
  const Wanted wanted = random_wish(world);
  const auto search = [&] {
    std::int64_t fit = -1;
    return found_text(world, wanted, fit);
  };
  const std::string before = search();
  std::string inside;
  {
    Trial trial(world.tables().undo);
    const auto leaf = between<std::uint32_t>(0, world.tree().leaves() - 1);
    world.tree().try_shift(trial, leaf, world.amounts({1, 0}), world.tables().names.pods(), -1);
    inside = search();
    {
      Trial nested(world.tables().undo);
      world.tree().try_assume(nested, leaf, world.amounts({1, 0}), world.tables().names.pods(), -2);
      search();
    }
    RC_ASSERT(search() == inside);
  }
  RC_ASSERT(search() == before);
  const std::string changed = [&] {
    world.add_reserved(0, {1, 0}, 1);
    return search();
  }();
  world.tables().topologies.forget_trees();
  RC_ASSERT(search() == changed);
}

}  // namespace
}  // namespace muster::core
