// SPDX-License-Identifier: Apache-2.0
#include "core/plan/decision.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/timestamp.h"
#include "core/model/tables.h"

namespace muster::core {

namespace {

using Type = Reason::Type;

bool is_strict(const Tables& tables, const Decision& decision) {
  return tables.cluster_queues[decision.queue].spec.strategy == QueueingStrategy::strict_fifo;
}

bool comes_back_at_once(const Tables& tables, const Decision& decision) {
  if (is_strict(tables, decision)) {
    return decision.requeue_reason != RequeueReason::namespace_mismatch;
  }
  return decision.requeue_reason == RequeueReason::failed_after_nomination ||
         decision.requeue_reason == RequeueReason::pending_preemption;
}

Because with_obstacles(const Tables& tables, const Decision& decision) {
  Because because{.reasons = reasons_of(tables, *decision.assignment)};
  if (decision.reserved_start) {
    because.reasons.push_back({.type = Type::start_reserved,
                               .detail = format_time(Timestamp::of(*decision.reserved_start))});
  }
  because.cause_word = cause_of(decision);
  return because;
}

}  // namespace

PendingPlace place_after(const Tables& tables, const Decision& decision) {
  if (decision.type == Decision::Type::admit || decision.type == Decision::Type::evict ||
      decision.is_second_pass) {
    return PendingPlace::none;
  }
  const WorkloadRow& row = tables.workloads[decision.workload];
  if (tables.rests(row)) return PendingPlace::inadmissible;
  const LastTried& tried = decision.was_tried ? decision.assignment->tried : row.last_tried;
  const bool has_flavors_left = !decision.forgets_tried && tried.has_pending_flavors();
  return comes_back_at_once(tables, decision) || has_flavors_left ? PendingPlace::active
                                                                  : PendingPlace::inadmissible;
}

bool parks_equivalents(const Tables& tables, const Decision& decision) {
  const bool answers_all = decision.requeue_reason == RequeueReason::no_fit ||
                           decision.requeue_reason == RequeueReason::preemption_no_candidates ||
                           decision.requeue_reason == RequeueReason::resource_quota;
  return answers_all && !is_strict(tables, decision) &&
         tables.workloads[decision.workload].spec.equivalence != 0;
}

std::string_view cause_of(const Decision& decision) {
  switch (decision.word) {
    case WaitWord::obstacles:
      // One that fits and was left out of its cycle has no cause.
      if (decision.assignment->mode == AssignmentMode::no_fit) {
        return name_of(decision.assignment->cause);
      }
      return decision.assignment->mode == AssignmentMode::preempt ? "WaitingForQuota" : "";
    case WaitWord::objection:
    case WaitWord::no_place:
    case WaitWord::no_room:
    case WaitWord::reserved:
      return Because{.reasons = {*decision.objection}}.cause();
    case WaitWord::preempting:
    case WaitWord::deferred_fit:
      return "WaitingForPreemptedWorkloads";
    case WaitWord::lost_race:
    case WaitWord::overlapping:
      return "WaitingForQuota";
    case WaitWord::gated:
      return "AdmissionGated";
    case WaitWord::pods_ready:
      return "WaitingForPodsReady";
    case WaitWord::deactivated:
      return "";
  }
  return "";
}

Because because_of(const Tables& tables, const Decision& decision) {
  if (decision.type == Decision::Type::admit) {
    return {.reasons = {
                {.type = Type::quota_reserved, .name = tables.cluster_queues.key(decision.queue)}}};
  }
  if (decision.type == Decision::Type::evict) {
    const auto& nodes = tables.workloads[decision.workload].spec.extras->unhealthy_nodes;
    return {
        .reasons = {{.type = Type::node_failed, .name = fmt::format("{}", fmt::join(nodes, ","))}}};
  }
  switch (decision.word) {
    case WaitWord::obstacles:
      return with_obstacles(tables, decision);
    case WaitWord::objection:
    case WaitWord::no_place:
    case WaitWord::no_room:
    case WaitWord::reserved:
      return {.reasons = {*decision.objection}};
    case WaitWord::preempting: {
      Because because = with_obstacles(tables, decision);
      because.reasons.push_back({.type = Type::pending_preemption,
                                 .amount = static_cast<std::int64_t>(decision.targets.size())});
      return because;
    }
    case WaitWord::lost_race:
      return {.reasons = {{.type = Type::lost_race}}};
    case WaitWord::overlapping:
      return {.reasons = {{.type = Type::overlapping_targets}}};
    case WaitWord::deferred_fit:
      return {.reasons = {{.type = Type::deferred_fit}}};
    case WaitWord::gated:
      return {.reasons = {{.type = Type::preemption_gated}}};
    case WaitWord::pods_ready:
      return {.reasons = {{.type = Type::pods_not_ready}}};
    case WaitWord::deactivated:
      return {.reasons = {
                  {.type = Type::deactivated, .name = tables.workloads.key(decision.workload)}}};
  }
  return {};
}

}  // namespace muster::core
