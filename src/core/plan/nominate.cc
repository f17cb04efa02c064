// Each head alone, against the same state: what keeps it out before quota is asked, or else with
// which flavors and after whose eviction it could be admitted.
// SPDX-License-Identifier: Apache-2.0
#include "core/admission/find_assignment.h"
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

}  // namespace

void nominate(Cycle& cycle, const std::vector<Head>& heads) {
  Tables& tables = cycle.tables;
  cycle.entries.reserve(heads.size());
  for (std::size_t at = 0; at < heads.size(); ++at) {
    const Head& head = heads[at];
    if (at + 4 < heads.size()) {
      tables.workloads.expect(heads[at + 4].workload);
      tables.cluster_queues.expect(heads[at + 4].queue);
      tables.pending.expect(heads[at + 4].workload);  // for order_entries()
    }
    if (at + 1 < heads.size()) tables.workloads[heads[at + 1].workload].spec.pod_sets.expect();
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
    entry.assignment = std::move(nomination.assignment);
    entry.targets = std::move(nomination.targets);
  }
}

}  // namespace muster::core
