// ClusterState, the part of Cohorts: the tree that they make of ClusterQueues, and whom a change of
// it concerns.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/model/incarnation.h"
#include "core/model/tables.h"

namespace muster::core {

// A cohort is there as long as its object is, or somebody names it.
CohortId Tables::hold_cohort(std::string_view name) {
  if (name.empty()) return CohortId::none();
  const CohortId id = cohorts.hold(name);
  CohortRow& row = cohorts[id];
  if (row.node.is_none()) {
    row.node = quota.add_cohort(id, std::string(name));
    // One without an object has no weight. It has no parent to be weighed under either.
    quota.set_fair_weight(row.node, 0);
  }
  return id;
}

void Tables::release_cohort(CohortId id) {
  const QuotaNodeId node = cohorts[id].node;
  const std::string name = cohorts.key(id);
  cohorts.release(id);
  if (cohorts.find(name).is_none()) quota.remove(node);
}

// Queues below may have come into a cycle or out of one; those of both trees may fit now. (Kueue
// wakes the tree that it comes to, and so does a plan.)
void Tables::move_cohort(CohortId id, std::string_view parent) {
  CohortRow& row = cohorts[id];
  const QuotaNodeId node = row.node;
  if (!holds_retries) wake_tree(node);
  const bool had_cycle = quota.has_cycle(node);
  const CohortId before = row.parent;
  row.parent = hold_cohort(parent);
  quota.set_parent(node, row.parent.is_none() ? QuotaNodeId::none() : cohorts[row.parent].node);
  if (had_cycle != quota.has_cycle(node)) {
    for (const QuotaNodeId below : quota.subtree_of(node)) {
      if (!quota.is_cluster_queue(below)) continue;
      refresh_activity(quota.cluster_queue(below));
      requeue_all_of(quota.cluster_queue(below));
    }
  }
  if (!before.is_none()) release_cohort(before);
}

void Tables::apply_cohort(const Event& event) {
  const std::string key = row_key(event.object);
  CohortId id = cohorts.find(key);
  if (id.is_none() && event.type == EventType::remove) return;
  const Step step = id.is_none() ? Step::update : next_step(cohorts[id], event);
  if (step == Step::ignore) return;
  if (step == Step::update && (id.is_none() || !cohorts[id].present)) id = hold_cohort(key);
  CohortRow& row = cohorts[id];
  if (step == Step::remove) {
    static_cast<Incarnation&>(row) = {};
    row.object = {};
    row.spec = {};
    row.spec.fair_weight = 0;
  } else {
    const bool is_same = row.present && row.object["spec"] == event.object["spec"];
    SeldomText invalid = std::move(row.invalid);
    take_identity(row, event);
    row.object = event.object;
    row.invalid = is_same ? std::move(invalid) : SeldomText();
    if (is_same) {
      if (holds_retries) wake_tree(row.node);  // Kueue does for any event of it
      return;
    }
    auto read = read_cohort(event.object, names);
    if (!read) row.invalid = read.error().to_string();
    row.spec = read ? *std::move(read) : Cohort();
  }
  const QuotaNodeId node = row.node;
  move_cohort(id, row.spec.parent);
  quota.set_quotas(node, quotas_of(row.spec.groups));
  quota.set_fair_weight(node, row.spec.fair_weight);
  if (step != Step::remove || !holds_retries) wake_tree(node);
  if (step == Step::remove) release_cohort(id);
}

void Tables::wake_tree(QuotaNodeId node) {
  if (node.is_none()) return;
  const bool has_cycle = quota.has_cycle(node);
  QuotaNodeId root = node;
  while (!has_cycle && !quota.stated_parent(root).is_none()) root = quota.stated_parent(root);
  if (!holds_retries) return gathers_wakes_ ? note_tree(root) : wake_below(root);
  if (has_cycle) return;  // Kueue waits for its end
  (quota.is_cluster_queue(root) ? retry_queues : retry_cohorts).insert(quota.name(root));
}

void Tables::note_tree(QuotaNodeId root) {
  if (is_noted_.size() <= root.index()) is_noted_.resize(quota.node_slots(), 0);
  if (is_noted_[root.index()] != 0) return;
  is_noted_[root.index()] = 1;
  noted_trees_.push_back(root);
}

void Tables::wake_below(QuotaNodeId node) {
  for (const QuotaNodeId each : quota.subtree_of(node)) {
    if (quota.is_cluster_queue(each)) wake(quota.cluster_queue(each));
  }
}

void Tables::wake_noted() {
  for (const QuotaNodeId root : noted_trees_) {
    is_noted_[root.index()] = 0;
    wake_below(root);
  }
  noted_trees_.clear();
  if (std::exchange(has_new_company_, false)) wake_for_places();
}

void Tables::wake_tree(ClusterQueueId queue) {
  wake_tree(cluster_queues[queue].node);
}

}  // namespace muster::core
