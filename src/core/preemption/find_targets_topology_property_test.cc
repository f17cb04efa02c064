// With places on nodes: the search that asks for a placement only now and then finds the same
// targets as one that asks after every candidate.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/model/audit.h"
#include "objects/builder.h"
#include "objects/convert_kueue_topology.h"
#include "objects/edit.h"
#include "objects/json.h"
#include "tests/plan/dice.h"
#include "tests/preemption/preemption_house.h"
#include "tests/preemption/random_world.h"

namespace muster::core {
namespace {

namespace resources = objects::resources;
using slow::House;
using slow::SlowWorld;

constexpr const char* pair_a = "f0/x.io/a";

struct Host {
  std::string rack;
  std::int64_t capacity = 0;
};
using Places = std::map<std::string, std::int64_t>;  // pods on each host

struct Racks {
  std::map<std::string, Host> hosts;
  std::map<std::string, Places> places;  // of each workload
  std::int64_t pods = 0;                 // of the preemptor
  bool is_required = false;              // in one rack

  std::map<std::string, std::int64_t> free(const SlowWorld& world) const {
    std::map<std::string, std::int64_t> left;
    for (const auto& [name, host] : hosts) left[name] = host.capacity;
    for (const auto& [name, on] : places) {
      if (!world.workloads.contains(name)) continue;
      for (const auto& [host, count] : on) left[host] -= count;
    }
    return left;
  }

  bool has_place(const SlowWorld& world) const {
    std::map<std::string, std::int64_t> by_rack;
    for (const auto& [name, left] : free(world)) {
      by_rack[is_required ? hosts.at(name).rack : ""] += std::max<std::int64_t>(left, 0);
    }
    return std::ranges::any_of(by_rack, [&](const auto& each) { return each.second >= pods; });
  }
};

objects::Value json(const std::string& text) {
  return objects::parse_json(text).must();
}

Racks random_racks(Dice& dice, SlowWorld& world) {
  Racks racks;
  std::int64_t capacity = 0;
  const std::int64_t count = 2 + dice.below(6);
  for (std::int64_t i = 0; i < count; ++i) {
    const Host host{fmt::format("r{}", dice.below(3)), 1 + dice.below(4)};
    racks.hosts[fmt::format("n{}", i)] = host;
    capacity += host.capacity;
  }
  for (const char* name : {"q", "r"}) {
    world.nodes[name] = {.parent = "all",
                         .is_queue = true,
                         .quotas = {{pair_a, {.nominal = capacity / 2 + dice.below(3)}}},
                         .within_queue = slow::Allowed::lower,
                         .reclaim = slow::Allowed::any};
  }
  world.nodes["all"] = {};
  for (std::int64_t i = 0; i < 10; ++i) {
    const std::string name = fmt::format("w{}", i);
    world.workloads[name] = {.queue = dice.below(2) == 0 ? "q" : "r",
                             .priority = dice.below(4),
                             .reserved = 10 + dice.below(3),
                             .uid = fmt::format("u{}", dice.below(10) * 100 + i)};
    std::int64_t left = 1 + dice.below(3);
    for (const auto& [host, room] : racks.free(world)) {
      const std::int64_t here = std::min({left, room, dice.below(3)});
      if (here > 0) racks.places[name][host] = here;
      left -= std::max<std::int64_t>(here, 0);
    }
    if (racks.places[name].empty()) {
      racks.places.erase(name);
      world.workloads.erase(name);
      continue;
    }
    for (const auto& [host, pods] : racks.places[name]) {
      world.workloads[name].usage[pair_a] += pods;
    }
  }
  racks.pods = 1 + dice.below(6);
  racks.is_required = dice.below(3) != 0;
  return racks;
}

std::string topology_text(const Places& places) {
  std::vector<std::string> domains;
  for (const auto& [host, count] : places) {
    domains.push_back(fmt::format(R"({{"values":["{}"],"count":{}}})", host, count));
  }
  const objects::Value plain = json(fmt::format(
      R"({{"levels":["kubernetes.io/hostname"],"domains":[{}]}})", fmt::join(domains, ",")));
  objects::Builder builder;
  const objects::Node packed = objects::pack_topology_assignment(builder, plain).must();
  return objects::to_json(objects::View(&packed));
}

// The workload as so many pods of one unit each, in the places it has.
objects::Value in_pods(objects::Value object, std::int64_t pods, const std::string& request,
                       const Places* places) {
  const auto set = [&](std::initializer_list<objects::Step> path, const std::string& value) {
    object = objects::with(object, path, json(value)).must();
  };
  set({"spec", "podSets"},
      fmt::format(R"([{{"name":"main","count":{},"topologyRequest":{},"template":{{"spec":{{
                  "containers":[{{"name":"c","resources":{{"requests":
                  {{"x.io/a":"1"}}}}}}]}}}}}}])",
                  pods, request));
  if (places != nullptr) {
    set({"status", "admission", "podSetAssignments"},
        fmt::format(R"([{{"name":"main","count":{},"flavors":{{"x.io/a":"f0"}},
                    "resourceUsage":{{"x.io/a":"{}"}},"topologyAssignment":{}}}])",
                    pods, pods, topology_text(*places)));
  }
  return object;
}

void put(House& house, const objects::Resource& resource, const objects::Value& object) {
  house.state.apply(made::upsert({resource, object}, 2));
}

void put_racks(House& house, const Racks& racks) {
  put(house, resources::topologies,
      json(R"({"metadata":{"name":"t","uid":"u"},"spec":{"levels":[{"nodeLabel":"rack"},
               {"nodeLabel":"kubernetes.io/hostname"}]}})"));
  put(house, resources::resource_flavors, json(R"({"metadata":{"name":"f0","uid":"u"},
               "spec":{"topologyName":"t","nodeLabels":{"pool":"p"}}})"));
  for (const auto& [name, host] : racks.hosts) {
    put(house, resources::nodes,
        json(fmt::format(
            R"({{"metadata":{{"name":"{0}","uid":"{0}","labels":{{"pool":"p","rack":"{1}",
                 "kubernetes.io/hostname":"{0}"}}}},"status":{{"allocatable":{{"x.io/a":"{2}",
                 "pods":"110"}},"conditions":[{{"type":"Ready","status":"True"}}]}}}})",
            name, host.rack, host.capacity)));
  }
  for (const auto& [name, places] : racks.places) {
    std::int64_t pods = 0;
    for (const auto& [host, count] : places) pods += count;
    put(house, resources::workloads,
        in_pods(house.tables().workloads[house.workload(name)].object, pods,
                R"({"unconstrained":true})", &places));
  }
  put(house, resources::workloads,
      in_pods(house.tables().workloads[house.incoming()].object, racks.pods,
              racks.is_required ? R"({"required":"rack"})" : R"({"preferred":"rack"})", nullptr));
}

RC_GTEST_PROP(find_targets, agrees_with_the_slow_search_where_places_are_scarce, ()) {
  Dice dice(*rc::gen::container<std::vector<std::uint32_t>>(
      250, rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(0, 9240))));
  const slow::Rules rules = slow::random_rules(dice);
  SlowWorld world;
  const Racks racks = random_racks(dice, world);
  const slow::Preemptor preemptor{
      .queue = "q", .priority = 9, .usage = {{pair_a, racks.pods}}, .contested = {pair_a}};
  House house(world, preemptor, rules);
  put_racks(house, racks);
  RC_ASSERT(audit(house.state).empty());
  world.has_place = [&](const SlowWorld& left) { return racks.has_place(left); };
  RC_PRE(!slow::fits(world, preemptor, true));
  const slow::Targets slow = slow::find_targets(world, preemptor, rules);
  const TopologyPodSet place{.flavor = house.tables().flavors.find("f0"),
                             .count = racks.pods,
                             .set = &house.tables().workloads[house.incoming()].spec.pod_sets[0]};
  const slow::Targets fast = house.find({&place, 1});
  RC_CLASSIFY(!slow.empty());
  RC_CLASSIFY(slow.size() > 1);
  if (fast != slow) {
    for (const auto& [name, host] : racks.hosts) {
      RC_LOG(fmt::format("{} in {} has {}\n", name, host.rack, host.capacity));
    }
    for (const auto& [name, places] : racks.places) {
      const slow::Held& held = world.workloads.at(name);
      RC_LOG(fmt::format("{} of {}, priority {}, reserved {}, uid {}: {}\n", name, held.queue,
                         held.priority, held.reserved, held.uid, places));
    }
    RC_LOG(fmt::format("{} pods, required {}, fair {}: fast {}, slow {}\n", racks.pods,
                       racks.is_required, rules.fair_sharing, fast, slow));
  }
  RC_ASSERT(fast == slow);
  RC_ASSERT(audit(house.state).empty());
}

}  // namespace
}  // namespace muster::core
