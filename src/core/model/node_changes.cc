// ClusterState, the part of nodes and pods: what is free where, and which pods have to be placed.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/model/address_range.h"
#include "core/model/incarnation.h"
#include "core/model/tables.h"
#include "core/model/told_to_go.h"
#include "objects/metadata.h"

namespace muster::core {

void Tables::add_to_node(NodeId node, const Amounts& amounts, std::int64_t times) {
  if (times == 0) return;
  for (const Amount& entry : amounts) {
    // Counts come from objects too: a product that no int64 holds wraps, and comes back.
    const auto product = static_cast<std::int64_t>(static_cast<std::uint64_t>(entry.amount) *
                                                   static_cast<std::uint64_t>(times));
    free.add(entry.resource, node, product);
  }
}

const std::vector<NodeId>& Tables::nodes_by_name() {
  if (named_version_ == nodes.version()) return named_nodes_;
  named_version_ = nodes.version();
  named_nodes_.clear();
  nodes.for_each([&](NodeId id, const NodeRow&) { named_nodes_.push_back(id); });
  std::ranges::sort(named_nodes_, {},
                    [&](NodeId id) -> const std::string& { return nodes.key(id); });
  return named_nodes_;
}

bool Tables::has_failed(NodeId node) const {
  const NodeRow& row = nodes[node];
  return !row.present || (row.invalid.empty() && !row.spec.is_ready);
}

void Tables::endanger_gangs_on(NodeId node) {
  workloads.for_each([&](WorkloadId id, const WorkloadRow& row) {
    const bool is_there = std::ranges::any_of(row.reservation->slots,
                                              [&](const Slot& slot) { return slot.node == node; });
    if (is_there) endangered.emplace(workloads.key(id), id);
  });
}

void Tables::apply_node(const Event& event) {
  const std::string key = row_key(event.object);
  NodeId id = nodes.find(key);
  if (id.is_none()) {
    if (event.type == EventType::remove) return;
    id = nodes.hold(key);
  } else {
    const Step step = next_step(nodes[id], event);
    if (step == Step::ignore) return;
    if (!nodes[id].present) nodes.hold(id);
  }
  NodeRow& row = nodes[id];
  const Node before = row.spec;
  const bool was_present = row.present;
  const bool was_valid = row.invalid.empty();
  if (event.type == EventType::remove) {
    static_cast<Incarnation&>(row) = {};
    row.spec = {};
  } else {
    take_identity(row, event);
    auto read = read_node(event.object, names);
    if (read) {
      row.spec = *std::move(read);
    } else {
      row.spec = Node();
      row.invalid = read.error().to_string();
    }
  }
  if (row.present != was_present || row.spec != before) {
    if (is_discouraging(before)) --discouraging_nodes;
    if (is_discouraging(row.spec)) ++discouraging_nodes;
    add_to_node(id, before.allocatable, -1);
    add_to_node(id, row.spec.allocatable, 1);
    note_node_change(id, before, was_present, was_valid);
    if (has_failed(id)) endanger_gangs_on(id);
    for (const PodId pod : row.pods) look_at_arrived(pod);
    wake_for_places();
  }
  if (event.type == EventType::remove) nodes.release(id);
}

void Tables::note_bind_candidate(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  if (row.is_bind_candidate || row.reservation->slots.empty()) return;
  row.is_bind_candidate = true;
  ++bind_candidate_count;
  bind_candidates.push_back(id);
}

// Its id stays in the list until that is forgotten.
void Tables::drop_bind_candidate(WorkloadId id) {
  if (!workloads[id].is_bind_candidate) return;
  workloads[id].is_bind_candidate = false;
  --bind_candidate_count;
}

void Tables::forget_bind_candidates() {
  for (const WorkloadId id : bind_candidates) {
    if (is_held_back(id)) held_back.insert(id);
    drop_bind_candidate(id);
  }
  bind_candidates.clear();
}

bool Tables::is_taken_by_leaving(NodeId node) const {
  if (leaving_pods.empty()) return false;
  return std::ranges::any_of(nodes[node].pods, [&](PodId id) {
    if (!leaving_pods.contains(id)) return false;
    return std::ranges::any_of(pods[id].spec.requests, [&](const Amount& request) {
      return free.at(request.resource, node) < 0;
    });
  });
}

bool Tables::is_held_back(WorkloadId id) const {
  const WorkloadRow& row = workloads[id];
  const bool has_pods =
      !row.pods->empty() || (!row.owner.is_none() && !owners[row.owner].pods.empty());
  return has_pods && std::ranges::any_of(row.reservation->slots, [&](const Slot& slot) {
           return slot.kept > 0 && (has_failed(slot.node) || is_taken_by_leaving(slot.node));
         });
}

void Tables::note_held_back() {
  for (const WorkloadId id : std::exchange(held_back, {})) note_bind_candidate(id);
}

std::vector<PodId> Tables::gang_pods(const WorkloadRow& row) const {
  std::vector<PodId> members(row.pods->begin(), row.pods->end());
  if (!row.owner.is_none()) {
    const std::set<PodId>& owned = owners[row.owner].pods;
    members.insert(members.end(), owned.begin(), owned.end());
  }
  return members;
}

std::optional<std::uint32_t> Tables::pod_set_of(const WorkloadRow& row, const PodRow& pod) const {
  const GangPodSets& sets = row.spec.pod_sets;
  if (pod.spec.pod_set.empty() && sets.size() == 1) return 0;
  const auto set = std::ranges::find(sets, pod.spec.pod_set, &GangPodSet::name);
  if (set == sets.end()) return std::nullopt;
  return static_cast<std::uint32_t>(set - sets.begin());
}

bool Tables::is_replaced(WorkloadId id) const {
  const WorkloadRow& row = workloads[id];
  if (!row.spec.is_elastic || row.owner.is_none()) return false;
  const std::string& key = workloads.key(id);
  return std::ranges::any_of(owners[row.owner].workloads, [&](WorkloadId other) {
    const Workload& slice = workloads[other].spec;
    return slice.holds_quota() && slice.extras->replacement_for == key;
  });
}

WorkloadId Tables::workload_of(const PodRow& pod) const {
  if (!pod.workload.is_none()) {
    return workloads[pod.workload].present ? pod.workload : WorkloadId::none();
  }
  if (pod.owner.is_none()) return WorkloadId::none();
  // A job has one Workload; where there are two for a moment, the one that holds quota counts.
  const auto rank = [&](WorkloadId id) {
    return workloads[id].spec.holds_quota() + !is_replaced(id);
  };
  WorkloadId found;
  for (const WorkloadId id : owners[pod.owner].workloads) {
    const bool is_better = found.is_none() || rank(id) > rank(found) ||
                           (rank(id) == rank(found) && workloads.key(id) < workloads.key(found));
    if (is_better) found = id;
  }
  return found;
}

void Tables::keep_room(WorkloadRow& row, Slot& slot, std::int64_t pods_to_come) {
  const std::int64_t given_back = slot.kept - pods_to_come;
  slot.kept = pods_to_come;
  if (given_back > 0) note_held_back();
  const GangPodSet& set = row.spec.pod_sets[slot.pod_set];
  add_to_node(slot.node, set.requests, given_back);
  free.add(names.pods(), slot.node, given_back);
  if (!set.claims.empty()) {
    use_claims(namespaces.key(row.name_space), set.claims, slot.node, -given_back);
  }
}

// Of an elastic job: a pod set that is smaller now than it was admitted keeps room for as many pods
// as it has, wherever they are.
void Tables::keep_room_for_set(WorkloadRow& row, std::uint32_t pod_set) {
  std::int64_t open = row.spec.pod_sets[pod_set].count;
  for (const Slot& slot : row.reservation->slots) {
    if (slot.pod_set == pod_set) open -= std::min(slot.bound, slot.count);
  }
  for (Slot& slot : row.reservation.edit().slots) {
    if (slot.pod_set != pod_set) continue;
    const std::int64_t empty = std::max<std::int64_t>(slot.count - slot.bound, 0);
    const std::int64_t kept = std::min(empty, std::max<std::int64_t>(open, 0));
    open -= kept;
    keep_room(row, slot, kept);
  }
}

// A pod that stands in its slot takes the slot's room; what was kept for it is given back.
void Tables::count_bound(const PodRow& pod, std::int64_t delta) {
  const auto count_in = [&](WorkloadRow& row) {
    if (row.reservation->slots.empty()) return;
    const auto set = pod_set_of(row, pod);
    if (!set) return;
    for (Slot& slot : row.reservation.edit().slots) {
      if (slot.pod_set != *set || slot.node != pod.node) continue;
      slot.bound += delta;
      if (row.spec.is_elastic) return keep_room_for_set(row, *set);
      return keep_room(row, slot, std::max<std::int64_t>(slot.count - slot.bound, 0));
    }
  };
  if (!pod.workload.is_none()) {
    if (workloads[pod.workload].present) count_in(workloads[pod.workload]);
    return;
  }
  if (pod.owner.is_none()) return;
  for (const WorkloadId id : owners[pod.owner].workloads) count_in(workloads[id]);
}

void Tables::use_claims(std::string_view name_space, const ClaimNames& used, NodeId node,
                        std::int64_t change) {
  for (const std::string& name : used) {
    claims.use(fmt::format("{}/{}", name_space, name), node, change);
  }
}

void Tables::remember_address(NodeId node, const PodRow& pod) {
  const auto address = parse_address(pod.address);
  if (!address) return;
  std::optional<LastAddress>& last = nodes[node].last_address;
  const bool is_younger =
      !last || std::tie(last->created, last->address) < std::tie(pod.spec.created, *address);
  if (is_younger) last = LastAddress{pod.spec.created, *address};
}

// Unmanaged pods without a node are placed one by one, the oldest first.
void Tables::look_at_loose(PodId id) {
  const PodRow& row = pods[id];
  const std::pair<Instant, std::string> place(row.spec.created, pods.key(id));
  const bool is_loose = row.present && row.invalid.empty() && row.spec.is_unmanaged &&
                        row.node.is_none() && !row.spec.is_terminated &&
                        !row.spec.is_being_deleted && workload_of(row).is_none();
  if (!is_loose) {
    loose_pods.erase(place);
    parked_pods.erase(place);
  } else if (!parked_pods.contains(place)) {
    loose_pods.insert(place);
  }
}

// Pods that Muster did not bind are received or refused where their node is there to take them: a
// node that is not ready is asked when it is.
void Tables::look_at_arrived(PodId id) {
  const PodRow& row = pods[id];
  const std::pair<Instant, std::string> place(row.spec.created, pods.key(id));
  const bool is_undecided = row.present && row.invalid.empty() && row.counted &&
                            !row.spec.is_received && !row.spec.is_being_deleted &&
                            !row.assumed_node && !row.assumed_refused;
  if (is_undecided && nodes[row.node].invalid.empty() && !has_failed(row.node)) {
    arrived_pods.insert(place);
  } else {
    arrived_pods.erase(place);
  }
}

void Tables::enter_pod(PodId id) {
  PodRow& row = pods[id];
  const objects::ObjectKey key = object_key(pods.key(id));
  if (!row.spec.workload.empty()) {
    row.workload = workloads.hold(key.name_space + "/" + row.spec.workload);
    workloads[row.workload].pods.edit().insert(id);
  } else if (!row.spec.owner_uid.empty()) {
    row.owner = owners.hold(row.spec.owner_uid);
    owners[row.owner].pods.insert(id);
  }
  const std::string& node =
      row.spec.node_name.empty() && row.assumed_node ? *row.assumed_node : row.spec.node_name;
  const bool is_assumed_here = row.assumed_node == node;
  row.address = row.spec.is_host_network ? std::string() : row.spec.address;
  if (is_assumed_here && !row.assumed_address.empty()) row.address = row.assumed_address;
  if (!node.empty()) {
    row.node = nodes.hold(node);
    nodes[row.node].pods.insert(id);
    row.counted = !row.spec.is_terminated;
    remember_address(row.node, row);
  }
  if (row.counted) {
    add_to_node(row.node, row.spec.requests, -1);
    if (!row.spec.is_in_topology) topologies.change_outside(row.node, row.spec.requests, -1);
    count_bound(row, 1);
    use_claims(key.name_space, row.spec.claims, row.node, 1);
    if (!row.spec.neighbours.unwanted.empty()) ++distance_keepers;
    if (row.spec.is_being_deleted) leaving_pods.insert(id);
  }
  look_at_loose(id);
  look_at_arrived(id);
  row.is_seeker =
      row.node.is_none() && row.spec.is_unmanaged && row.spec.neighbours.seeks_company();
  if (row.is_seeker) ++company_seekers;
  const WorkloadId workload = workload_of(row);
  if (!workload.is_none() && workloads[workload].standing == Standing::reserved) {
    note_bind_candidate(workload);
  }
}

void Tables::leave_pod(PodId id) {
  PodRow& row = pods[id];
  if (std::exchange(row.is_seeker, false)) --company_seekers;
  if (row.counted) {
    leaving_pods.erase(id);
    count_bound(row, -1);
    use_claims(object_key(pods.key(id)).name_space, row.spec.claims, row.node, -1);
    if (!row.spec.neighbours.unwanted.empty()) --distance_keepers;
    add_to_node(row.node, row.spec.requests, 1);
    if (!row.spec.is_in_topology) topologies.change_outside(row.node, row.spec.requests, 1);
    row.counted = false;
  }
  const WorkloadId workload = workload_of(row);
  if (!workload.is_none() && workloads[workload].standing == Standing::reserved) {
    note_bind_candidate(workload);
  }
  if (!row.node.is_none()) {
    nodes[row.node].pods.erase(id);
    nodes.release(row.node);
    row.node = NodeId::none();
  }
  if (!row.workload.is_none()) {
    Seldom<std::set<PodId>>& members = workloads[row.workload].pods;
    members.edit().erase(id);
    if (members->empty()) members.reset();
    workloads.release(row.workload);
    row.workload = WorkloadId::none();
  }
  if (!row.owner.is_none()) {
    owners[row.owner].pods.erase(id);
    owners.release(row.owner);
    row.owner = OwnerId::none();
  }
  const std::pair<Instant, std::string> place(row.spec.created, pods.key(id));
  loose_pods.erase(place);
  arrived_pods.erase(place);
}

// The pod may be gone before anybody looks: what was said of it is kept until then.
void Tables::note_leaving(PodId id) {
  const PodRow& pod = pods[id];
  const WorkloadId gang = workload_of(pod);
  if (gang.is_none()) return;
  const std::string& key = workloads.key(gang);
  endangered.emplace(key, gang);
  if (pod.node.is_none()) return;
  std::string words = fmt::format("{} has to leave node {}", pods.key(id), nodes.key(pod.node));
  std::string& first = left[key];
  if (first.empty() || words < first) first = std::move(words);
}

void Tables::apply_pod(const Event& event) {
  const std::string key = row_key(event.object);
  PodId id = pods.find(key);
  if (id.is_none()) {
    if (event.type == EventType::remove) return;
    id = pods.hold(key);
  }
  const Step step = next_step(pods[id], event);
  if (step == Step::ignore) return;
  PodRow& row = pods[id];
  const std::vector<WorkloadId> gangs = workloads_of(row);
  const NodeId node = row.counted ? nodes.hold(row.node) : NodeId::none();
  if (step == Step::remove && is_told_to_go(event.object)) note_leaving(id);
  leave_pod(id);
  if (step == Step::remove || step == Step::replace) {
    parked_pods.erase({row.spec.created, key});
    row = PodRow();
  }
  if (step == Step::remove) {
    pods.release(id);
  } else {
    take_identity(row, event);
    auto read = read_pod(event.object, names);
    if (read) {
      row.spec = *std::move(read);
    } else {
      row.spec = Pod();
      row.invalid = read.error().to_string();
    }
    row.object = event.object;
    const objects::View scheduled = objects::condition(event.object, "PodScheduled");
    if (scheduled["message"].string_or("") == row.telling.view() || row.spec.is_terminated ||
        !row.spec.node_name.empty()) {
      row.telling.clear();
      if (std::exchange(row.wakes_later, false)) parked_pods.erase({row.spec.created, key});
    }
    // A binding under way stands until it is seen, or forget() says it was refused.
    if (row.spec.is_received || row.spec.is_terminated) row.assumed_node.reset();
    if (row.spec.is_terminated) row.assumed_refused = false;
    enter_pod(id);
    if (is_told_to_go(event.object)) note_leaving(id);
  }
  show_pod_to_quota(id, key, gangs);
  if (node.is_none()) {
    if (step != Step::remove && pods[id].counted) note_company();
    return;
  }
  const bool is_freed = step == Step::remove || !pods[id].counted || pods[id].node != node;
  nodes.release(node);
  if (!is_freed) return;
  wake_for_places();
  wake_for_topologies();
}

}  // namespace muster::core
