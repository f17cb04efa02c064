// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/workload_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/checked.h"
#include "base/timestamp.h"
#include "core/draft.h"

namespace muster::core {

using objects::condition;
using objects::Value;
using objects::View;

namespace {

constexpr std::size_t condition_message_bytes_max = std::size_t{32} * 1024;

Value pending_again(const Value& workload, View check, Instant now) {
  const std::string_view state = check["state"].string_or("");
  Draft draft(workload.part(check));
  draft.set({"state"}, Value::string("Pending"))
      .set({"message"},
           Value::string(fmt::format("Reset to Pending after eviction. Previously: {}", state)))
      .set({"lastTransitionTime"}, Value::string(format_time(Timestamp::of(now))))
      .drop({"podSetUpdates"})
      .drop({"retryCount"});
  if (state == "Retry") {
    draft.set({"retryCount"}, Value::integer(saturating_add(check["retryCount"].integer_or(0), 1)));
  }
  return draft.value();
}

Value with_fresh_checks(const Value& workload, Instant now) {
  const View checks = workload["status"]["admissionChecks"];
  if (checks.empty()) return workload;
  std::vector<Value> fresh;
  for (View each : checks.elements()) {
    const bool is_pending = each["state"].string_or("") == "Pending";
    fresh.push_back(is_pending ? workload.part(each) : pending_again(workload, each, now));
  }
  return Draft(workload).set({"status", "admissionChecks"}, list_of(fresh)).value();
}

// status.schedulingStats.evictions counts evictions by their reason.
Value with_eviction_counted(const Value& workload, std::string_view reason) {
  std::vector<Value> counts;
  bool found = false;
  for (View each : workload["status"]["schedulingStats"]["evictions"].elements()) {
    const bool is_it =
        each["reason"].string_or("") == reason && each["underlyingCause"].string_or("").empty();
    found = found || is_it;
    const auto next = Value::integer(saturating_add(each["count"].integer_or(0), 1));
    counts.push_back(is_it ? Draft(workload.part(each)).set({"count"}, next).value()
                           : workload.part(each));
  }
  if (!found) {
    counts.push_back(Value::object({{"reason", Value::string(reason)},
                                    {"underlyingCause", Value::string("")},
                                    {"count", Value::integer(1)}}));
  }
  return Draft(workload).set({"status", "schedulingStats", "evictions"}, list_of(counts)).value();
}

// Preemption gates close again, and nobody waits for them any more.
Value with_closed_gates(const Value& workload, std::string_view reason, std::string_view message,
                        Instant now) {
  Value next = workload;
  const std::string time = format_time(Timestamp::of(now));
  for (std::size_t i = 0; i < workload["status"]["preemptionGates"].size(); ++i) {
    next = Draft(next)
               .set({"status", "preemptionGates", i, "position"}, Value::string("Closed"))
               .set({"status", "preemptionGates", i, "lastTransitionTime"}, Value::string(time))
               .value();
  }
  if (!objects::is_true(condition(next, "BlockedOnPreemptionGates"))) return next;
  return stating(next,
                 {.type = "BlockedOnPreemptionGates",
                  .holds = false,
                  .reason = std::string(reason),
                  .message = std::string(message)},
                 now);
}

// The time it was admitted counts against its maximum.
Value with_time_counted(const Value& workload, Instant now) {
  const View admitted = condition(workload, "Admitted");
  const auto since = objects::instant_of(admitted["lastTransitionTime"]);
  if (!objects::is_true(admitted) || !since) return workload;
  const std::int64_t seconds =
      saturating_subtract(now.nanoseconds, since->nanoseconds) / 1'000'000'000;
  const std::int64_t past = workload["status"]["accumulatedPastExecutionTimeSeconds"].integer_or(0);
  const std::int64_t total = saturating_add(past, std::max<std::int64_t>(seconds, 0));
  return Draft(workload)
      .set({"status", "accumulatedPastExecutionTimeSeconds"},
           Value::integer(std::min<std::int64_t>(total, INT32_MAX)))
      .value();
}

}  // namespace

Value stating(const Value& workload, const Statement& statement, Instant now) {
  return objects::with_condition(
      workload,
      {.type = statement.type,
       .status = statement.holds ? "True" : "False",
       .reason = statement.reason,
       .message = statement.message.substr(0, condition_message_bytes_max),
       .observed_generation = objects::generation_of(workload)},
      now);
}

Value evicted(const Value& workload, std::string_view reason, std::string_view message,
              Instant now) {
  const Value next = stating(
      workload, {.type = "Evicted", .reason = std::string(reason), .message = std::string(message)},
      now);
  const Value fresh = Draft(with_fresh_checks(next, now))
                          .drop({"status", "clusterName"})
                          .drop({"status", "nominatedClusterNames"})
                          .drop({"status", "unhealthyNodes"})
                          .value();
  return with_eviction_counted(with_closed_gates(fresh, reason, message, now), reason);
}

Value released(const Value& workload, Instant now) {
  const View eviction = condition(workload, "Evicted");
  const std::string reason(eviction["reason"].string_or(""));
  const std::string message(eviction["message"].string_or(""));
  const bool returns_at_once = reason == "Preempted" || reason == "NodeFailures";
  Value next = stating(
      workload,
      {.type = "Requeued", .holds = returns_at_once, .reason = reason, .message = message}, now);
  next = stating(
      next,
      {.type = "QuotaReserved", .holds = false, .reason = "PendingEvaluation", .message = message},
      now);
  next = stating(with_time_counted(next, now),
                 {.type = "Admitted",
                  .holds = false,
                  .reason = "NoReservation",
                  .message = "The workload has no reservation"},
                 now);
  if (condition(next, "PodsReady")) {
    next = stating(next,
                   {.type = "PodsReady",
                    .holds = false,
                    .reason = "WaitForStart",
                    .message = "Not all pods are ready or succeeded"},
                   now);
  }
  return Draft(next).drop({"status", "admission"}).value();
}

}  // namespace muster::core
