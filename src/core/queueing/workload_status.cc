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

// status.schedulingStats.evictions counts evictions by their reason and its cause.
Value with_eviction_counted(const Value& workload, const Eviction& eviction) {
  std::vector<Value> counts;
  bool found = false;
  for (View each : workload["status"]["schedulingStats"]["evictions"].elements()) {
    const bool is_it = each["reason"].string_or("") == eviction.reason &&
                       each["underlyingCause"].string_or("") == eviction.underlying_cause;
    found = found || is_it;
    const auto next = Value::integer(saturating_add(each["count"].integer_or(0), 1));
    counts.push_back(is_it ? Draft(workload.part(each)).set({"count"}, next).value()
                           : workload.part(each));
  }
  if (!found) {
    counts.push_back(Value::object({{"reason", Value::string(eviction.reason)},
                                    {"underlyingCause", Value::string(eviction.underlying_cause)},
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

Value without_condition(const Value& workload, std::string_view type) {
  if (!condition(workload, type)) return workload;
  std::vector<Value> kept;
  for (View each : workload["status"]["conditions"].elements()) {
    if (each["type"].string_or("") != type) kept.push_back(workload.part(each));
  }
  return Draft(workload).set({"status", "conditions"}, list_of(kept)).value();
}

std::string condition_reason(const Eviction& eviction) {
  if (eviction.reason != "Deactivated" || eviction.underlying_cause.empty()) return eviction.reason;
  return fmt::format("{}DueTo{}", eviction.reason, eviction.underlying_cause);
}

Value evicted(const Value& workload, const Eviction& eviction, Instant now) {
  const std::string reason = condition_reason(eviction);
  const Value next =
      stating(workload, {.type = "Evicted", .reason = reason, .message = eviction.message}, now);
  const Value fresh = Draft(with_fresh_checks(next, now))
                          .drop({"status", "clusterName"})
                          .drop({"status", "nominatedClusterNames"})
                          .drop({"status", "unhealthyNodes"})
                          .value();
  return with_eviction_counted(with_closed_gates(fresh, reason, eviction.message, now), eviction);
}

namespace {

bool has_all_checks_ready(View workload) {
  for (View each : workload["status"]["admissionChecks"].elements()) {
    if (each["state"].string_or("") != "Ready") return false;
  }
  return true;
}

bool waits_for_topology(View workload) {
  for (View each : workload["status"]["admission"]["podSetAssignments"].elements()) {
    if (!each["topologyAssignment"] && each["delayedTopologyRequest"].string_or("") == "Pending") {
      return true;
    }
  }
  return false;
}

Statement admitted_statement(View workload, Words words) {
  const bool is_granular = words == Words::granular;
  const auto no = [](std::string reason, std::string message) {
    return Statement{.type = "Admitted",
                     .holds = false,
                     .reason = std::move(reason),
                     .message = std::move(message)};
  };
  const bool is_ready = has_all_checks_ready(workload);
  if (!has_reservation(workload)) {
    if (is_ready || is_granular) return no("NoReservation", "The workload has no reservation");
    return no("NoReservationUnsatisfiedChecks",
              "The workload has no reservation and not all checks ready");
  }
  if (!is_ready) {
    return no(is_granular ? "UnsatisfiedAdmissionChecks" : "UnsatisfiedChecks",
              "The workload has not all checks ready");
  }
  if (waits_for_topology(workload)) {
    return no("PendingDelayedTopologyRequests", "There are pending delayed topology requests");
  }
  return {.type = "Admitted", .reason = "Admitted", .message = "The workload is admitted"};
}

}  // namespace

Value with_admitted_condition(const Value& workload, Words words, Instant now) {
  const Statement statement = admitted_statement(workload, words);
  const bool is_said = words == Words::granular ? !condition(workload, "QuotaReserved") &&
                                                      !condition(workload, "Admitted")
                                                : is_admitted(workload) == statement.holds;
  if (is_said) return workload;
  return stating(statement.holds ? workload : with_time_counted(workload, now), statement, now);
}

Value unreserved(const Value& workload, const Unreserved& why, Words words, Instant now) {
  const std::string_view reason = words == Words::granular ? why.granular : why.reason;
  const Value next = stating(workload,
                             {.type = "QuotaReserved",
                              .holds = false,
                              .reason = std::string(reason),
                              .message = std::string(why.message)},
                             now);
  return with_admitted_condition(Draft(next).drop({"status", "admission"}).value(), words, now);
}

Value released(const Value& workload, Words words, Instant now) {
  const View eviction = condition(workload, "Evicted");
  const std::string reason(eviction["reason"].string_or(""));
  const std::string message(eviction["message"].string_or(""));
  const bool returns_at_once = reason == "Preempted" || reason == "NodeFailures";
  Value next = stating(
      workload,
      {.type = "Requeued", .holds = returns_at_once, .reason = reason, .message = message}, now);
  next = unreserved(
      next, {.reason = "Pending", .granular = "PendingEvaluation", .message = message}, words, now);
  if (condition(next, "PodsReady")) {
    next = stating(next,
                   {.type = "PodsReady",
                    .holds = false,
                    .reason = "WaitForStart",
                    .message = "Not all pods are ready or succeeded"},
                   now);
  }
  return next;
}

}  // namespace muster::core
