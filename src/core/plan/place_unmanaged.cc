// Pods that no queue manages, the oldest first, one by one: somebody has to place them where there
// is no other scheduler.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/placement/place_gang.h"
#include "core/plan/cycle.h"

namespace muster::core {

namespace {

Reason unschedulable_reason(const NoPlace& failure) {
  if (failure.nodes == 0) {
    return {.type = Reason::Type::unschedulable, .detail = "no nodes available to schedule pods"};
  }
  return {.type = Reason::Type::unschedulable,
          .detail = fmt::format(
              "0/{} nodes are available: {}.", failure.nodes,
              failure.objection.empty() ? failure.exclusions.sentence() : failure.objection)};
}

void place_one(Cycle& cycle, PodId id) {
  const PodRow& pod = cycle.tables.pods[id];
  GangPart part;
  part.requests = &pod.spec.requests;
  part.wish.terms = &pod.spec.terms;
  const std::string& key = cycle.tables.pods.key(id);
  part.kind = {std::string_view(key).substr(0, key.find('/')), &pod.spec.labels,
               &pod.spec.neighbours};
  part.count = 1;
  part.claims = &pod.spec.claims;
  if (are_claims_taken(cycle, part.kind.name_space, pod.spec.claims)) return;
  Trial trial(cycle.tables.undo);
  const GangPlacement placed = place_gang(cycle.tables, trial, {&part, 1}, &cycle.places);
  if (!placed.fits()) {
    Action action = action_on(cycle, Action::Type::unbindable, id);
    action.because.reasons = {unschedulable_reason(*placed.failure)};
    cycle.plan.actions.push_back(std::move(action));
    return;
  }
  trial.commit();
  take_claims(cycle, part.kind.name_space, pod.spec.claims);
  const NodeId node = placed.parts[0][0].node;
  Action action = action_on(cycle, Action::Type::bind, id);
  action.node = cycle.tables.nodes.key(node);
  action.address = take_address(cycle, pod, node);
  cycle.plan.actions.push_back(std::move(action));
}

}  // namespace

void place_unmanaged(Cycle& cycle) {
  for (const auto& [created, key] : cycle.tables.loose_pods) {
    const PodId id = cycle.tables.pods.find(key);
    if (!id.is_none()) place_one(cycle, id);
  }
}

}  // namespace muster::core
