// Heads with quota, in order: each gets a place for its whole gang, or waits whole.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/model/workload_usage.h"
#include "core/placement/place_gang.h"
#include "core/plan/admission_status.h"
#include "core/plan/cycle.h"
#include "core/words.h"
#include "objects/builder.h"
#include "objects/convert_kueue_topology.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Builder;
using objects::Value;

namespace {

std::vector<GangPart> parts_of(const Tables& tables, const Workload& workload,
                               const Assignment& assignment) {
  std::vector<GangPart> parts;
  for (const PodSetFlavors& assigned : assignment.pod_sets) {
    const GangPodSet& set = workload.pod_sets[assigned.index];
    GangPart& part = parts.emplace_back();
    part.pod_set = set.name;
    part.requests = &set.requests;
    part.count = assigned.count;
    part.wish.terms = &set.terms;
    for (const FlavorAssignment& each : assigned.flavors) {
      const ResourceFlavor* spec = &tables.flavors[each.flavor].spec;
      if (std::ranges::find(part.wish.flavors, spec) == part.wish.flavors.end()) {
        part.wish.flavors.push_back(spec);
      }
    }
  }
  return parts;
}

Reason no_place_reason(const NoPlace& failure) {
  const std::string excluded = failure.exclusions.tally();
  return {.type = Reason::Type::no_place,
          .pod_set = failure.pod_set,
          .amount = failure.fit,
          .limit = failure.wanted,
          .detail = fmt::format(". Total nodes: {}{}{}", failure.nodes,
                                excluded.empty() ? "" : "; excluded: ", excluded)};
}

objects::Node topology_node(Builder& builder, const Tables& tables,
                            const std::vector<PlacedPods>& placed) {
  std::vector<objects::Node> domains;
  for (const PlacedPods& pods : placed) {
    const objects::Node values[] = {builder.text(tables.nodes.key(pods.node))};
    const objects::Node::Member domain[] = {
        {Builder::literal("values"), builder.array(values)},
        {Builder::literal("count"), Builder::integer(pods.count)}};
    domains.push_back(builder.object(domain));
  }
  const objects::Node levels[] = {Builder::literal(words::hostname_label)};
  const objects::Node::Member members[] = {{Builder::literal("levels"), builder.array(levels)},
                                           {Builder::literal("domains"), builder.array(domains)}};
  const objects::Node plain = builder.object(members);
  return objects::pack_topology_assignment(builder, objects::View(&plain)).must();
}

objects::Node assignment_node(Builder& builder, const Tables& tables, const PodSetFlavors& set,
                              const std::vector<PlacedPods>* placed) {
  std::vector<objects::Node::Member> flavors;
  for (const FlavorAssignment& each : set.flavors) {
    flavors.push_back({builder.text(tables.names.name(each.resource)),
                       builder.text(tables.flavors.key(each.flavor))});
  }
  std::vector<objects::Node::Member> members{
      {Builder::literal("name"), builder.text(set.pod_set)},
      {Builder::literal("flavors"), builder.object(flavors)},
      {Builder::literal("resourceUsage"),
       builder.embed(to_value(granted_usage(set), tables.names))},
      {Builder::literal("count"), Builder::integer(set.count)}};
  if (placed != nullptr && !placed->empty()) {
    members.push_back(
        {Builder::literal("topologyAssignment"), topology_node(builder, tables, *placed)});
  }
  return builder.object(members);
}

Value admission_value(const Tables& tables, const Nominee& nominee,
                      const std::vector<std::vector<PlacedPods>>* placed) {
  Builder builder;
  std::vector<objects::Node> sets;
  for (std::size_t i = 0; i < nominee.assignment.pod_sets.size(); ++i) {
    sets.push_back(assignment_node(builder, tables, nominee.assignment.pod_sets[i],
                                   placed == nullptr ? nullptr : &(*placed)[i]));
  }
  const objects::Node::Member members[] = {
      {Builder::literal("clusterQueue"), builder.text(tables.cluster_queues.key(nominee.queue))},
      {Builder::literal("podSetAssignments"), builder.array(sets)}};
  const objects::Node root = builder.object(members);
  return std::move(builder).finish(root);
}

// Whether the checks that the queue asks for on these flavors have all said yes.
bool has_all_checks(const Tables& tables, const Nominee& nominee) {
  const auto uses = [&](const std::string& flavor) {
    return std::ranges::any_of(nominee.assignment.pod_sets, [&](const PodSetFlavors& set) {
      return std::ranges::any_of(set.flavors, [&](const auto& assigned) {
        return tables.flavors.key(assigned.flavor) == flavor;
      });
    });
  };
  const std::vector<std::string>& ready = tables.workloads[nominee.workload].spec.ready_checks;
  return std::ranges::all_of(
      tables.cluster_queues[nominee.queue].spec.checks, [&](const RequiredCheck& check) {
        const bool concerns =
            check.on_flavors.empty() || std::ranges::any_of(check.on_flavors, uses);
        return !concerns || std::ranges::find(ready, check.name) != ready.end();
      });
}

void decline(Cycle& cycle, const Nominee& nominee, const NoPlace& failure) {
  Action action = action_on(cycle, Action::Type::wait, nominee.workload);
  // Room that another head of this cycle took may come back to it: it is tried again at once.
  if (cycle.took_places) {
    action.because.reasons = {{.type = Reason::Type::lost_race}};
  } else {
    action.because.reasons = {no_place_reason(failure)};
  }
  cycle.plan.actions.push_back(std::move(action));
}

void admit_one(Cycle& cycle, const Nominee& nominee) {
  Tables& tables = cycle.tables;
  const WorkloadRow& row = tables.workloads[nominee.workload];
  const Placement placement =
      tables.cluster_queues[nominee.queue].spec.placement.value_or(cycle.policy.placement);
  Trial trial(tables.undo);
  take_usage(tables, trial, nominee.queue, nominee.assignment.usage);
  GangPlacement placed;
  if (placement != Placement::none) {
    placed = place_gang(tables, trial, parts_of(tables, row.spec, nominee.assignment));
    if (!placed.fits()) {
      decline(cycle, nominee, *placed.failure);
      return;
    }
    cycle.took_places = true;
  }
  trial.commit();
  const bool is_pinned = placement == Placement::pinned;
  const Value admission = admission_value(tables, nominee, is_pinned ? &placed.parts : nullptr);
  const Value next =
      with_admission(row.object, admission, has_all_checks(tables, nominee), tables.now);
  Action action = action_on(cycle, Action::Type::admit, nominee.workload);
  action.status = next.part(next["status"]);
  cycle.plan.actions.push_back(std::move(action));
}

}  // namespace

void admit(Cycle& cycle, const std::vector<Nominee>& nominees) {
  for (const Nominee& nominee : nominees) admit_one(cycle, nominee);
}

}  // namespace muster::core
