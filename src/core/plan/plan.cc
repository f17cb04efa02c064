// SPDX-License-Identifier: Apache-2.0
#include "core/plan/plan.h"

#include <algorithm>
#include <array>

#include "core/admission/assignment_pool.h"
#include "core/plan/admission_value.h"
#include "core/plan/cycle.h"
#include "objects/builder.h"

namespace muster::core {

bool Plan::decides_something() const {
  const bool decides = std::ranges::any_of(decisions, [](const Decision& decision) {
    return decision.type == Decision::Type::admit || decision.type == Decision::Type::evict ||
           (decision.type == Decision::Type::preempt && decision.is_new);
  });
  return decides || std::ranges::any_of(actions, [](const Action& action) {
           return action.type != Action::Type::tell && action.type != Action::Type::unbindable;
         });
}

Action action_on(const Cycle& cycle, Action::Type type, WorkloadId workload) {
  return {.type = type,
          .key = object_key(cycle.tables.workloads.key(workload)),
          .uid = std::string(cycle.tables.workloads[workload].uid)};
}

Action action_on(const Cycle& cycle, Action::Type type, PodId pod) {
  return {.type = type,
          .key = object_key(cycle.tables.pods.key(pod)),
          .uid = cycle.tables.pods[pod].uid};
}

Plan plan(ClusterState& state, const Policy& policy) {
  Cycle cycle(state.tables(), policy);
  renew(cycle.tables.assignments);
  cycle.plan.assignments = cycle.tables.assignments;
  if (policy.placement != Placement::none) evict_failed_nodes(cycle);
  tell_stranded(cycle);
  tell_waiting(cycle);
  nominate(cycle, heads_of(cycle));
  process_all(cycle);
  bind(cycle);
  if (policy.places_unmanaged_pods) {
    receive(cycle);
    place_unmanaged(cycle);
  }
  return std::move(cycle.plan);
}

namespace {

using Members = std::vector<objects::Node::Member>;

void add(objects::Builder& builder, Members& members, std::string_view key,
         std::string_view value) {
  if (!value.empty()) members.push_back({builder.text(key), builder.text(value)});
}

void add(objects::Builder& builder, Members& members, const Because& because) {
  if (because.empty()) return;
  members.push_back({builder.text("because"), builder.embed(to_value(because))});
}

objects::Node node_of(objects::Builder& builder, const Tables& tables, const Decision& decision) {
  static constexpr std::array<std::string_view, 4> names{"Wait", "Admit", "Preempt", "Evict"};
  Members members;
  add(builder, members, "action", names[static_cast<std::size_t>(decision.type)]);
  add(builder, members, "key", tables.workloads.key(decision.workload));
  add(builder, members, "uid", tables.workloads[decision.workload].uid);
  if (decision.type == Decision::Type::admit) {
    members.push_back(
        {builder.text("admission"), builder.embed(admission_value(tables, decision))});
  }
  std::vector<objects::Node> victims;
  for (const Target& target : decision.targets) {
    if (decision.type != Decision::Type::preempt) break;
    Members victim;
    add(builder, victim, "key", tables.workloads.key(target.workload));
    add(builder, victim, "reason", reason_name(target.reason));
    victims.push_back(builder.object(victim));
  }
  if (!victims.empty()) members.push_back({builder.text("victims"), builder.array(victims)});
  add(builder, members, because_of(tables, decision));
  return builder.object(members);
}

objects::Node node_of(objects::Builder& builder, const Action& action) {
  static constexpr std::array<std::string_view, 6> names{"Tell",       "Evict",   "Bind",
                                                         "Unbindable", "Receive", "Refuse"};
  Members members;
  add(builder, members, "action", names[static_cast<std::size_t>(action.type)]);
  add(builder, members, "key", action.key.to_string());
  add(builder, members, "uid", action.uid);
  add(builder, members, "node", action.node);
  add(builder, members, "address", action.address);
  add(builder, members, action.because);
  return builder.object(members);
}

}  // namespace

objects::Value to_value(const ClusterState& state, const Plan& plan) {
  objects::Builder builder;
  std::vector<objects::Node> decisions;
  for (const Decision& decision : plan.decisions) {
    decisions.push_back(node_of(builder, state.tables(), decision));
  }
  std::vector<objects::Node> actions;
  for (const Action& action : plan.actions) actions.push_back(node_of(builder, action));
  const objects::Node::Member root[] = {{builder.text("decisions"), builder.array(decisions)},
                                        {builder.text("actions"), builder.array(actions)}};
  const objects::Node node = builder.object(root);
  return std::move(builder).finish(node);
}

}  // namespace muster::core
