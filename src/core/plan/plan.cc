// SPDX-License-Identifier: Apache-2.0
#include "core/plan/plan.h"

#include <algorithm>
#include <array>

#include "core/plan/cycle.h"
#include "objects/builder.h"

namespace muster::core {

bool Plan::decides_something() const {
  return std::ranges::any_of(actions, [](const Action& action) {
    return action.type != Action::Type::wait && action.type != Action::Type::unbindable;
  });
}

Action action_on(const Cycle& cycle, Action::Type type, WorkloadId workload) {
  return {.type = type,
          .key = object_key(cycle.tables.workloads.key(workload)),
          .uid = cycle.tables.workloads[workload].uid};
}

Action action_on(const Cycle& cycle, Action::Type type, PodId pod) {
  return {.type = type,
          .key = object_key(cycle.tables.pods.key(pod)),
          .uid = cycle.tables.pods[pod].uid};
}

Plan plan(ClusterState& state, const Policy& policy) {
  Cycle cycle(state.tables(), policy);
  evict_failed_nodes(cycle);
  tell_stranded(cycle);
  std::vector<Nominee> nominees = nominate(cycle);
  order(nominees);
  keep_room(cycle, nominees);
  admit(cycle, nominees);
  bind(cycle);
  if (policy.places_unmanaged_pods) place_unmanaged(cycle);
  return std::move(cycle.plan);
}

objects::Value to_value(const Plan& plan) {
  static constexpr std::array<std::string_view, 5> names{"Admit", "Wait", "Evict", "Bind",
                                                         "Unbindable"};
  objects::Builder builder;
  std::vector<objects::Node> actions;
  for (const Action& action : plan.actions) {
    std::vector<objects::Node::Member> members;
    const auto add = [&](std::string_view key, std::string_view value) {
      if (!value.empty()) members.push_back({builder.text(key), builder.text(value)});
    };
    add("action", names[static_cast<std::size_t>(action.type)]);
    add("key", action.key.to_string());
    add("uid", action.uid);
    if (action.status) members.push_back({builder.text("status"), builder.embed(action.status)});
    add("node", action.node);
    add("address", action.address);
    if (!action.because.empty()) {
      members.push_back({builder.text("because"), builder.embed(to_value(action.because))});
    }
    actions.push_back(builder.object(members));
  }
  const objects::Node::Member root[] = {{builder.text("actions"), builder.array(actions)}};
  const objects::Node node = builder.object(root);
  return std::move(builder).finish(node);
}

}  // namespace muster::core
