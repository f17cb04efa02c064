// Who is tried in this cycle: everybody who needs a second look at an admission that stands, and
// the head of every ClusterQueue that takes part.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/plan/cycle.h"

namespace muster::core {

namespace {

// Heads of one tree depend on each other: one that waits may keep what another would get. So all of
// a tree are tried as soon as one of them is to be.
class Trees {
 public:
  Trees(const Tables& tables, std::vector<Head>& heads)
      : tables_(tables), heads_(heads), seen_(tables.quota.node_slots(), false) {}

  void add_tree_of(ClusterQueueId queue) {
    const QuotaNodeId root = tables_.quota.root(tables_.cluster_queues[queue].node);
    if (root.is_none() || seen_[root.index()]) return;
    seen_[root.index()] = true;
    add(root);
  }

 private:
  void add(QuotaNodeId node) {
    if (tables_.quota.is_cluster_queue(node)) {
      const ClusterQueueId queue = tables_.quota.cluster_queue(node);
      const WorkloadId head = tables_.pending.head(queue);
      if (!head.is_none() && tables_.cluster_queues[queue].is_active) {
        heads_.push_back({head, queue});
      }
      return;
    }
    for (const QuotaNodeId child : tables_.quota.children(node)) add(child);
  }

  const Tables& tables_;
  std::vector<Head>& heads_;
  std::vector<bool> seen_;  // by root
};

// By name, of which each queue has one. Where many queues have a head they are not compared but put
// where their names stand.
void sort_by_name(Tables& tables, std::vector<Head>& heads) {
  const std::vector<std::uint32_t>& ranks = tables.ranks_by_name();
  constexpr std::size_t many = 8;  // of which one in so many queues has a head
  if (heads.size() * many < ranks.size()) {
    std::ranges::sort(heads, {}, [&](const Head& head) { return ranks[head.queue.index()]; });
    return;
  }
  std::vector<Head> by_rank(ranks.size());
  for (const Head& head : heads) by_rank[ranks[head.queue.index()]] = head;
  auto next = heads.begin();
  for (const Head& head : by_rank) {
    if (!head.queue.is_none()) *next++ = head;
  }
}

// By name. A document takes their back-off for ended.
std::vector<Head> second_passes(const Cycle& cycle) {
  const Tables& tables = cycle.tables;
  std::vector<Head> heads;
  for (const auto& [due, id] : tables.second_passes) {
    if (due > tables.now && !cycle.policy.retries_every_head) break;
    const WorkloadRow& row = tables.workloads[id];
    // One that was deactivated holds nothing, and names its queue nevertheless.
    const ClusterQueueId queue = row.reserved_in.is_none()
                                     ? tables.cluster_queues.find(row.spec.admission->cluster_queue)
                                     : row.reserved_in;
    if (!queue.is_none()) heads.push_back({id, queue});
  }
  std::ranges::sort(heads, {}, [&](const Head& head) -> const std::string& {
    return tables.workloads.key(head.workload);
  });
  return heads;
}

}  // namespace

std::vector<Head> heads_of(const Cycle& cycle) {
  Tables& tables = cycle.tables;
  std::vector<Head> heads;
  heads.reserve(tables.cluster_queues.size());
  if (cycle.policy.retries_every_head) {
    tables.cluster_queues.for_each([&](ClusterQueueId id, const ClusterQueueRow& row) {
      const WorkloadId head = tables.pending.head(id);
      if (!head.is_none() && row.is_active) heads.push_back({head, id});
    });
  } else {
    Trees trees(tables, heads);
    for (const ClusterQueueId queue : tables.ready_queues) trees.add_tree_of(queue);
  }
  sort_by_name(tables, heads);
  const std::vector<Head> second = second_passes(cycle);
  heads.insert(heads.begin(), second.begin(), second.end());
  return heads;
}

}  // namespace muster::core
