// SPDX-License-Identifier: Apache-2.0
#include "core/plan/admission_value.h"

#include <algorithm>

#include "core/words.h"
#include "objects/builder.h"
#include "objects/convert_kueue_topology.h"

namespace muster::core {

using objects::Builder;
using objects::Value;

namespace {

objects::Node topology_node(Builder& builder, const TopologyAssignment& topology) {
  std::vector<objects::Node> levels;
  for (const std::string& level : topology.levels) levels.push_back(builder.text(level));
  std::vector<objects::Node> domains;
  for (const TopologyDomain& domain : topology.domains) {
    std::vector<objects::Node> values;
    for (const std::string& value : domain.values) values.push_back(builder.text(value));
    const objects::Node::Member members[] = {
        {Builder::literal("values"), builder.array(values)},
        {Builder::literal("count"), Builder::integer(domain.count)}};
    domains.push_back(builder.object(members));
  }
  const objects::Node::Member members[] = {{Builder::literal("levels"), builder.array(levels)},
                                           {Builder::literal("domains"), builder.array(domains)}};
  const objects::Node plain = builder.object(members);
  return objects::pack_topology_assignment(builder, objects::View(&plain)).must();
}

// Nodes as domains of a topology that has only them.
TopologyAssignment assignment_of(const Tables& tables, const PlacedPart& places) {
  TopologyAssignment topology;
  topology.levels.emplace_back(words::hostname_label);
  for (const PlacedPods& place : places) {
    topology.domains.push_back({{tables.nodes.key(place.node)}, place.count});
  }
  return topology;
}

std::optional<TopologyAssignment> topology_of(const Tables& tables, const Decision& decision,
                                              std::size_t at) {
  const PodSetFlavors& set = decision.assignment->pod_sets[at];
  if (set.topology) return set.topology;
  if (!decision.is_pinned || set.places.empty()) return std::nullopt;
  return assignment_of(tables, set.places);
}

objects::Node pod_set_node(Builder& builder, const Tables& tables, const Decision& decision,
                           std::size_t at) {
  const PodSetFlavors& set = decision.assignment->pod_sets[at];
  std::vector<objects::Node::Member> flavors;
  for (const FlavorAssignment& assigned : set.flavors) {
    flavors.push_back({builder.text(tables.names.name(assigned.resource)),
                       builder.text(tables.flavors.key(assigned.flavor))});
  }
  std::vector<objects::Node::Member> members{
      {Builder::literal("name"), builder.text(set.pod_set)},
      {Builder::literal("flavors"), builder.object(flavors)},
      {Builder::literal("resourceUsage"),
       builder.embed(to_value(granted_usage(set), tables.names))},
      {Builder::literal("count"), Builder::integer(set.count)}};
  if (const auto topology = topology_of(tables, decision, at)) {
    members.push_back({Builder::literal("topologyAssignment"), topology_node(builder, *topology)});
  }
  if (set.delayed_topology != DelayedTopology::none) {
    const std::string_view state =
        set.delayed_topology == DelayedTopology::pending ? "Pending" : "Ready";
    members.push_back({Builder::literal("delayedTopologyRequest"), builder.text(state)});
  }
  return builder.object(members);
}

}  // namespace

Value admission_value(const Tables& tables, const Decision& decision) {
  Builder builder;
  std::vector<objects::Node> sets;
  for (std::size_t i = 0; i < decision.assignment->pod_sets.size(); ++i) {
    sets.push_back(pod_set_node(builder, tables, decision, i));
  }
  const objects::Node::Member members[] = {
      {Builder::literal("clusterQueue"), builder.text(tables.cluster_queues.key(decision.queue))},
      {Builder::literal("podSetAssignments"), builder.array(sets)}};
  const objects::Node root = builder.object(members);
  return std::move(builder).finish(root);
}

namespace {

PodSetAssignment pod_set_assignment(const Tables& tables, const Decision& decision,
                                    std::size_t at) {
  const PodSetFlavors& set = decision.assignment->pod_sets[at];
  PodSetAssignment assignment;
  assignment.name = set.pod_set;
  assignment.count = set.count;
  assignment.usage = granted_usage(set);
  assignment.delayed = set.delayed_topology;
  assignment.flavors.reserve(set.flavors.size());
  for (const FlavorAssignment& assigned : set.flavors) {
    assignment.flavors.emplace_back(assigned.resource, tables.flavors.key(assigned.flavor));
  }
  assignment.topology = topology_of(tables, decision, at);
  if (!assignment.topology) return assignment;
  const TopologyAssignment& topology = *assignment.topology;
  assignment.pinned = !topology.levels.empty() && topology.levels.back() == words::hostname_label;
  if (!assignment.pinned) return assignment;
  assignment.domains.reserve(topology.domains.size());
  for (const TopologyDomain& domain : topology.domains) {
    assignment.domains.push_back({domain.values.back(), domain.count});
  }
  return assignment;
}

bool is_same(const FlavorAssignment& a, const FlavorAssignment& b) {
  return a.resource == b.resource && a.flavor == b.flavor;
}

// Whether both would get the same assignment; not looked for where a topology says where to.
bool is_same(const PodSetFlavors& a, const PodSetFlavors& b) {
  return !a.topology && !b.topology && a.count == b.count && a.pod_set == b.pod_set &&
         a.delayed_topology == b.delayed_topology && a.requests == b.requests &&
         std::ranges::equal(a.flavors, b.flavors,
                            [](const auto& one, const auto& other) { return is_same(one, other); });
}

bool gets_the_same(const Decision& a, const Decision& b) {
  return a.is_pinned == b.is_pinned &&
         std::ranges::equal(a.assignment->pod_sets, b.assignment->pod_sets,
                            [&](const PodSetFlavors& one, const PodSetFlavors& other) {
                              return (!a.is_pinned || one.places == other.places) &&
                                     is_same(one, other);
                            });
}

}  // namespace

Admission AdmissionMaker::make(const Tables& tables, const Decision& decision) {
  if (last_ == nullptr || !gets_the_same(*last_, decision)) {
    std::vector<PodSetAssignment> pod_sets;
    pod_sets.reserve(decision.assignment->pod_sets.size());
    for (std::size_t i = 0; i < decision.assignment->pod_sets.size(); ++i) {
      pod_sets.push_back(pod_set_assignment(tables, decision, i));
    }
    pod_sets_ = SharedList(std::move(pod_sets));
  }
  last_ = &decision;
  return {.cluster_queue = tables.cluster_queues.key(decision.queue), .pod_sets = pod_sets_};
}

}  // namespace muster::core
