// Pods that somebody else put on a node: they were made with spec.nodeName, or bound by another
// scheduler. The node takes them or refuses them for good, as a kubelet admits pods, in its order
// and words; room that is kept for a gang is taken. The oldest first.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "core/placement/node_filter.h"
#include "core/plan/cycle.h"

namespace muster::core {

namespace {

// What a kubelet looks at first; all else comes in the order of names.
constexpr std::array<std::string_view, 4> first_resources = {"pods", "cpu", "memory",
                                                             "ephemeral-storage"};

Reason refusal(std::string word, std::string sentence) {
  return {.type = Reason::Type::refused, .name = std::move(word), .detail = std::move(sentence)};
}

Reason failed_predicate(std::string_view word, std::string_view sentence) {
  return refusal(std::string(word), fmt::format("Predicate {} failed: {}", word, sentence));
}

std::vector<Amount> in_kubelets_order(const ResourceNames& names, const Amounts& requests) {
  std::vector<Amount> amounts(requests.begin(), requests.end());
  std::ranges::stable_sort(amounts, {}, [&](const Amount& amount) {
    return std::ranges::find(first_resources, names.name(amount.resource)) -
           first_resources.begin();
  });
  return amounts;
}

// One round of arrivals. Each is counted on its node since it was seen there: first that is undone
// for all, so that one that is refused takes nothing from the next.
class Reception {
 public:
  explicit Reception(Cycle& cycle) : cycle_(cycle), trial_(cycle.tables.undo) {
    for (const auto& [created, key] : cycle.tables.arrived_pods) {
      const PodId id = cycle.tables.pods.find(key);
      waiting_.insert(id);
      count(id, 1);
    }
  }

  void decide(PodId id) {
    const PodRow& pod = cycle_.tables.pods[id];
    waiting_.erase(id);
    if (auto why = refusal_of(pod)) {
      gone_.insert(id);
      Action action = action_on(cycle_, Action::Type::refuse, id);
      action.because.reasons = {*std::move(why)};
      cycle_.plan.actions.push_back(std::move(action));
      return;
    }
    count(id, -1);
    Action action = action_on(cycle_, Action::Type::receive, id);
    action.node = cycle_.tables.nodes.key(pod.node);
    action.address = take_address(cycle_, pod, pod.node);
    cycle_.plan.actions.push_back(std::move(action));
  }

 private:
  void count(PodId id, std::int64_t times) {
    const PodRow& pod = cycle_.tables.pods[id];
    for (const Amount& request : pod.spec.requests) {
      if (request.amount == 0) continue;
      trial_.add(cycle_.tables.free.cell(request.resource, pod.node), request.amount * times);
    }
  }

  std::optional<Reason> refusal_of(const PodRow& pod) const {
    // What runs was let in before there was such a word.
    if (pod.object["status"]["phase"].string_or("") == "Running") return std::nullopt;
    if (auto why = missing_room(pod)) return why;
    const NodeRow& node = cycle_.tables.nodes[pod.node];
    const NodeWish wish{.terms = &pod.spec.terms};
    if (!has_asked_labels(node, cycle_.tables.nodes.key(pod.node), wish)) {
      return failed_predicate("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
    }
    if (are_ports_taken(pod)) {
      return failed_predicate("NodePorts",
                              "node(s) didn't have free ports for the requested pod ports");
    }
    // It is there: only what expels pods keeps it out.
    const bool is_expelled = std::ranges::any_of(node.spec.taints, [&](const Taint& taint) {
      return taint.effect == TaintEffect::no_execute &&
             std::ranges::none_of(pod.spec.terms.tolerations,
                                  [&](const Toleration& each) { return each.tolerates(taint); });
    });
    if (!is_expelled) return std::nullopt;
    return failed_predicate("TaintToleration", "node(s) had taints that the pod didn't tolerate");
  }

  std::optional<Reason> missing_room(const PodRow& pod) const {
    const Tables& tables = cycle_.tables;
    for (const Amount& request : in_kubelets_order(tables.names, pod.spec.requests)) {
      const std::int64_t free = tables.free.at(request.resource, pod.node);
      if (request.amount == 0 || request.amount <= free) continue;
      const std::int64_t capacity =
          amount_of(tables.nodes[pod.node].spec.allocatable, request.resource);
      const std::string& name = tables.names.name(request.resource);
      return refusal(
          "OutOf" + name,
          fmt::format("Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}",
                      name, request.amount, saturating_subtract(capacity, free), capacity));
    }
    return std::nullopt;
  }

  bool are_ports_taken(const PodRow& pod) const {
    const std::vector<HostPort>& ports = pod.spec.neighbours.ports;
    if (ports.empty()) return false;
    const auto clashes = [&](const PodNeighbours& other) {
      return std::ranges::any_of(other.ports, [&](const HostPort& theirs) {
        return std::ranges::any_of(ports,
                                   [&](const HostPort& port) { return port.clashes_with(theirs); });
      });
    };
    for (const PodId id : cycle_.tables.nodes[pod.node].pods) {
      const PodRow& other = cycle_.tables.pods[id];
      const bool stands = other.counted && !waiting_.contains(id) && !gone_.contains(id);
      if (&other != &pod && stands && clashes(other.spec.neighbours)) return true;
    }
    bool is_kept = false;  // for a gang whose pods are still to come
    cycle_.tables.workloads.for_each([&](WorkloadId, const WorkloadRow& row) {
      for (const Slot& slot : row.reservation->slots) {
        is_kept = is_kept || (slot.node == pod.node && slot.kept > 0 &&
                              clashes(row.spec.pod_sets[slot.pod_set].neighbours));
      }
    });
    return is_kept;
  }

  Cycle& cycle_;
  Trial trial_;
  std::set<PodId> waiting_;  // for their turn
  std::set<PodId> gone_;     // refused
};

}  // namespace

void receive(Cycle& cycle) {
  if (cycle.tables.arrived_pods.empty()) return;
  Reception reception(cycle);
  for (const auto& [created, key] : cycle.tables.arrived_pods) {
    reception.decide(cycle.tables.pods.find(key));
  }
}

}  // namespace muster::core
