// Each head alone, against the same state: what keeps it out before quota is asked, or else with
// which flavors and after whose eviction it could be admitted.
// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "core/admission/find_assignment.h"
#include "core/model/expect_memory.h"
#include "core/plan/cycle.h"
#include "objects/metadata.h"

namespace muster::core {

namespace {

std::optional<Reason> namespace_objection(const Tables& tables, const WorkloadRow& row,
                                          const ClusterQueueRow& queue) {
  const NamespaceRow& name_space = tables.namespaces[row.name_space];
  if (!name_space.present) {
    return Reason{.type = Reason::Type::namespace_not_found,
                  .name = tables.namespaces.key(row.name_space)};
  }
  const bool matches = queue.spec.namespace_selector.matches_by(
      [&](std::string_view key) { return find_label(name_space.labels, key); });
  if (!matches) return Reason{.type = Reason::Type::namespace_mismatch};
  return std::nullopt;
}

std::optional<Reason> objection(const Tables& tables, const WorkloadRow& row,
                                ClusterQueueId queue_id) {
  if (row.spec.has_failed_checks) return Reason{.type = Reason::Type::checks_failed};
  const ClusterQueueRow& queue = tables.cluster_queues[queue_id];
  if (!queue.present) {
    return Reason{.type = Reason::Type::cluster_queue_not_found,
                  .name = tables.cluster_queues.key(queue_id)};
  }
  if (!queue.is_active) {
    return Reason{.type = Reason::Type::cluster_queue_inactive,
                  .name = tables.cluster_queues.key(queue_id)};
  }
  if (auto reason = namespace_objection(tables, row, queue)) return reason;
  if (!row.spec.extras->resources_objection.empty()) {
    return Reason{.type = Reason::Type::invalid_requests,
                  .detail = row.spec.extras->resources_objection};
  }
  if (!row.spec.extras->unsupported.empty()) {
    return Reason{.type = Reason::Type::unsupported, .detail = row.spec.extras->unsupported};
  }
  return std::nullopt;
}

// The next heads are tried soon: what that reads is fetched meanwhile, step by step, since each
// list is found through the one before.
void expect_heads(const Tables& tables, std::span<const Head> next) {
  if (next.size() > 5) {
    tables.workloads.expect(next[5].workload);
    tables.cluster_queues.expect(next[5].queue);
    tables.pending.expect(next[5].workload);  // for order_entries()
  }
  if (next.size() > 3) {
    const ClusterQueueRow& queue = tables.cluster_queues[next[3].queue];
    expect_line(queue.spec.groups.data());
    expect_line(queue.groups.data());
    tables.workloads[next[3].workload].spec.pod_sets.expect();
  }
  if (next.size() > 2) {
    const ClusterQueueRow& queue = tables.cluster_queues[next[2].queue];
    if (!queue.spec.groups.empty()) expect_line(queue.spec.groups.front().covered.data());
    if (!queue.groups.empty()) expect_line(queue.groups.front().data());
  }
  if (next.size() > 1) {
    const ClusterQueueRow& queue = tables.cluster_queues[next[1].queue];
    if (queue.groups.empty() || queue.groups.front().empty()) return;
    expect_line(queue.groups.front().front().pairs.data());
  }
}

}  // namespace

void nominate(Cycle& cycle, const std::vector<Head>& heads) {
  Tables& tables = cycle.tables;
  cycle.entries.reserve(heads.size());
  for (std::size_t at = 0; at < heads.size(); ++at) {
    const Head& head = heads[at];
    expect_heads(tables, std::span(heads).subspan(at));
    const WorkloadRow& row = tables.workloads[head.workload];
    auto reason = objection(tables, row, head.queue);
    Decision& entry = (reason ? cycle.inadmissible : cycle.entries).emplace_back();
    entry.workload = head.workload;
    entry.queue = head.queue;
    entry.is_second_pass = row.spec.is_quota_reserved;
    if (reason) {
      if (reason->type == Reason::Type::namespace_mismatch) {
        entry.requeue_reason = RequeueReason::namespace_mismatch;
      }
      entry.word = WaitWord::objection;
      entry.objection = std::move(reason);
      continue;
    }
    const auto preemptor = tables.pending.preemptor(head.queue, head.workload);
    entry.is_preemptor = preemptor && preemptor->generation == objects::generation_of(row.object);
    Nomination nomination =
        find_assignment(tables, cycle.trial, cycle.policy,
                        {.workload = head.workload,
                         .queue = head.queue,
                         .last = &row.last_tried,
                         .moment = tables.moment_of(head.workload, head.queue)});
    entry.was_tried = true;
    entry.assignment = nomination.assignment;
    entry.targets = std::move(nomination.targets);
  }
}

}  // namespace muster::core
