// Pods of admitted gangs get the nodes of their assignment, once all of them exist.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <tuple>

#include "core/model/address_range.h"
#include "core/model/expect_memory.h"
#include "core/plan/cycle.h"
#include "core/queueing/pod_words.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

std::string take_address(Cycle& cycle, const PodRow& of, NodeId node) {
  if (of.spec.is_host_network) return std::string(words::no_address);
  const NodeRow& row = cycle.tables.nodes[node];
  const auto range = AddressRange::parse(row.spec.pod_cidr);
  if (!range) return std::string(words::no_address);
  std::set<std::uint32_t> in_use;
  for (const PodId id : row.pods) {
    const PodRow& pod = cycle.tables.pods[id];
    const auto address = parse_address(pod.address);
    if (pod.counted && address) in_use.insert(*address);
  }
  std::vector<std::uint32_t>& given = cycle.addresses[node];
  in_use.insert(given.begin(), given.end());
  std::optional<std::uint32_t> after;
  if (row.last_address) after = row.last_address->address;
  if (!given.empty()) after = given.back();
  const auto address = range->next_free(after, in_use);
  if (!address) return std::string(words::no_address);
  given.push_back(*address);
  return address_text(*address);
}

namespace {

// The pods of one pod set of a gang.
struct Members {
  std::vector<PodId> unbound;
  std::int64_t live = 0;  // neither ended nor about to
  std::int64_t succeeded = 0;
  bool has_started = false;  // one of them has its node
  bool starts_alone = false;
};

// Of a pod group that is admitted before its pods are there.
bool starts_alone(objects::View pod) {
  return objects::annotations_of(pod)[words::pod_group_fast_admission].string_or("") == "true";
}

std::vector<Members> members_of(const Tables& tables, const WorkloadRow& row) {
  std::vector<Members> sets(row.spec.pod_sets.size());
  for (const PodId id : tables.gang_pods(row)) {
    const PodRow& pod = tables.pods[id];
    const auto index = tables.pod_set_of(row, pod);
    if (!index || !pod.invalid.empty()) continue;
    Members& set = sets[*index];
    if (pod.spec.is_succeeded) ++set.succeeded;
    if (pod.spec.is_terminated || pod.spec.is_being_deleted || pod.spec.is_gated) continue;
    ++set.live;
    set.starts_alone = set.starts_alone || starts_alone(pod.object);
    if (pod.node.is_none()) {
      set.unbound.push_back(id);
    } else {
      set.has_started = true;
    }
  }
  return sets;
}

// Nobody is bound before all are there: those that were admitted, less the reclaimable ones, and
// less those that have succeeded and are not yet counted as reclaimable. Once one is bound, the
// others follow as they come: their places are kept for them, and a pod that failed is replaced in
// its own.
bool may_bind(const WorkloadRow& row, const std::vector<Members>& sets) {
  if (std::ranges::any_of(sets, &Members::has_started)) return true;
  if (std::ranges::any_of(sets, &Members::starts_alone)) return true;
  for (const PodSetAssignment& assignment : row.spec.admission->pod_sets) {
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const GangPodSet& set = row.spec.pod_sets[i];
      if (set.name != assignment.name) continue;
      const std::int64_t unfinished = std::min(assignment.count, set.effective_count());
      const std::int64_t untold = std::max<std::int64_t>(sets[i].succeeded - set.reclaimable, 0);
      if (sets[i].live < unfinished - untold) return false;
    }
  }
  return true;
}

void sort_by_rank(const Tables& tables, std::vector<PodId>& pods) {
  const auto rank = [&](PodId id) {
    return tables.pods[id].spec.rank.value_or(std::numeric_limits<std::int64_t>::max());
  };
  std::ranges::sort(pods, [&](PodId a, PodId b) {
    return std::forward_as_tuple(rank(a), tables.pods.key(a)) <
           std::forward_as_tuple(rank(b), tables.pods.key(b));
  });
}

// Pods in the order of ranks into free slots in the order of the assignment.
void bind_set(Cycle& cycle, const WorkloadRow& row, std::uint32_t index, Members& members) {
  sort_by_rank(cycle.tables, members.unbound);
  auto next = members.unbound.begin();
  for (const Slot& slot : row.reservation->slots) {
    if (slot.pod_set != index || cycle.tables.has_failed(slot.node)) continue;
    if (cycle.tables.is_taken_by_leaving(slot.node)) continue;
    for (std::int64_t free = slot.kept; free > 0; --free) {
      if (next == members.unbound.end()) return;
      const PodRow& pod = cycle.tables.pods[*next];
      Action action = action_on(cycle, Action::Type::bind, *next);
      action.node = cycle.tables.nodes.key(slot.node);
      action.address = take_address(cycle, pod, slot.node);
      cycle.plan.actions.push_back(std::move(action));
      ++next;
    }
  }
}

}  // namespace

void bind(Cycle& cycle) {
  const Tables& tables = cycle.tables;
  std::vector<WorkloadId> candidates;
  const std::vector<WorkloadId>& noted = tables.bind_candidates;
  for (std::size_t i = 0; i < noted.size(); ++i) {
    if (i + 8 < noted.size()) expect_line(&tables.workloads[noted[i + 8]].pods);
    const WorkloadId id = noted[i];
    const WorkloadRow& row = tables.workloads[id];
    const bool has_pods =
        !row.pods->empty() || (!row.owner.is_none() && !tables.owners[row.owner].pods.empty());
    if (row.is_bind_candidate && has_pods) candidates.push_back(id);
  }
  std::ranges::sort(candidates, {},
                    [&](WorkloadId id) -> const std::string& { return tables.workloads.key(id); });
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  for (const WorkloadId id : candidates) {
    const WorkloadRow& row = tables.workloads[id];
    const std::string& key = tables.workloads.key(id);
    const bool runs = row.standing == Standing::reserved && row.spec.is_admitted &&
                      !row.spec.is_evicted && row.spec.is_active && !row.assumed &&
                      !row.assumed_evicted && !cycle.evicted.contains(key);
    if (!runs || row.reservation->slots.empty() || tables.is_replaced(id)) continue;
    std::vector<Members> sets = members_of(tables, row);
    if (!may_bind(row, sets)) continue;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      bind_set(cycle, row, static_cast<std::uint32_t>(i), sets[i]);
    }
  }
}

}  // namespace muster::core
