// SPDX-License-Identifier: Apache-2.0
#include "core/plan/admission_status.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/timestamp.h"
#include "core/draft.h"
#include "core/model/limits.h"
#include "objects/edit.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

Value set_condition(const Value& workload, std::string type, bool is_true, std::string_view reason,
                    std::string message, Instant now) {
  return objects::with_condition(
      workload,
      {.type = std::move(type),
       .status = is_true ? "True" : "False",
       .reason = std::string(reason),
       .message = cut_message(std::move(message), condition_message_bytes_max),
       .observed_generation = objects::generation_of(workload)},
      now);
}

// Conditions of an earlier life are over once quota is reserved anew.
constexpr std::array<std::string_view, 3> ended_by_reservation{"Evicted", "Preempted",
                                                               "BlockedOnPreemptionGates"};

// One more eviction for this reason, as status.schedulingStats counts them.
Value count_eviction(const Value& workload, std::string_view reason) {
  const View evictions = workload["status"]["schedulingStats"]["evictions"];
  std::size_t index = 0;
  for (const View entry : evictions.elements()) {
    if (entry["reason"].string_or("") == reason && !entry["underlyingCause"].is_string()) break;
    if (entry["reason"].string_or("") == reason && entry["underlyingCause"].string_or("").empty()) {
      break;
    }
    ++index;
  }
  const std::int64_t count = evictions[index]["count"].integer_or(0) + 1;
  const Value entry = Value::object({{"reason", Value::string(reason)},
                                     {"underlyingCause", Value::string("")},
                                     {"count", Value::integer(count)}});
  if (evictions.empty()) {
    return objects::with(workload, {"status", "schedulingStats", "evictions"},
                         Value::array({entry}))
        .value_or(workload);
  }
  return objects::with(workload, {"status", "schedulingStats", "evictions", index}, entry)
      .value_or(workload);
}

}  // namespace

std::string cut_message(std::string message, std::size_t bytes_max) {
  if (message.size() <= bytes_max) return message;
  constexpr std::string_view dots = " ...";
  std::size_t end = bytes_max - dots.size();
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0U) == 0x80U) --end;
  message.resize(end);
  message += dots;
  return message;
}

Value with_admission(const Value& workload, const Value& admission, bool is_admitted, Instant now) {
  Value next = objects::with(workload, {"status", "admission"}, admission).value_or(workload);
  next = objects::without(next, {"status", "resourceRequests"}).value_or(next);
  next = objects::without(next, {"status", "unhealthyNodes"}).value_or(next);
  next = set_condition(
      next, "QuotaReserved", true, "QuotaReserved",
      fmt::format("Quota reserved in ClusterQueue {}", admission["clusterQueue"].string_or("")),
      now);
  for (const std::string_view type : ended_by_reservation) {
    const View before = objects::condition(next, type);
    if (!is_true(before)) continue;
    const std::string message(before["message"].string_or(""));
    next = set_condition(next, std::string(type), false, "QuotaReserved", "Previously: " + message,
                         now);
  }
  if (!is_admitted) return next;
  return set_condition(next, "Admitted", true, "Admitted", "The workload is admitted", now);
}

namespace {

// Whole seconds, as conditions have them.
std::string condition_time(Instant now) {
  return format_time(Timestamp::of_unix(Timestamp::of(now).seconds(), 0).value_or(Timestamp()));
}

// One check, back at the beginning. A check that asked for another try has had one more.
Value reset_check(View check, Instant now) {
  const std::string_view state = check["state"].string_or("");
  Draft draft(Value::object(
      {{"name", Value::copy_of(check["name"])},
       {"state", Value::string("Pending")},
       {"message",
        Value::string(fmt::format("Reset to Pending after eviction. Previously: {}", state))},
       {"lastTransitionTime", Value::string(condition_time(now))}}));
  if (check["requeueAfterSeconds"]) {
    draft.set({"requeueAfterSeconds"}, Value::copy_of(check["requeueAfterSeconds"]));
  }
  if (state == "Retry") {
    draft.set({"retryCount"}, Value::integer(check["retryCount"].integer_or(0) + 1));
  }
  return draft.value();
}

Value reset_checks(const Value& workload, Instant now) {
  Value next = workload;
  const View checks = workload["status"]["admissionChecks"];
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (checks[i]["state"].string_or("") == "Pending") continue;
    next = objects::with(next, {"status", "admissionChecks", i}, reset_check(checks[i], now))
               .value_or(next);
  }
  return next;
}

Value close_gates(const Value& workload, Instant now) {
  Value next = workload;
  const std::size_t count = workload["status"]["preemptionGates"].size();
  for (std::size_t i = 0; i < count; ++i) {
    next =
        objects::with(next, {"status", "preemptionGates", i, "position"}, Value::string("Closed"))
            .value_or(next);
    next = objects::with(next, {"status", "preemptionGates", i, "lastTransitionTime"},
                         Value::string(condition_time(now)))
               .value_or(next);
  }
  return next;
}

}  // namespace

Value with_eviction(const Value& workload, std::string_view reason, std::string message,
                    Instant now) {
  Value next = set_condition(workload, "Evicted", true, reason, message, now);
  for (const std::string_view field : {"clusterName", "nominatedClusterNames", "unhealthyNodes"}) {
    next = objects::without(next, {"status", field}).value_or(next);
  }
  next = close_gates(reset_checks(next, now), now);
  if (is_true(objects::condition(next, "BlockedOnPreemptionGates"))) {
    next = set_condition(next, "BlockedOnPreemptionGates", false, reason, std::move(message), now);
  }
  return count_eviction(next, reason);
}

Value with_preemption(const Value& workload, std::string_view reason, const std::string& message,
                      Instant now) {
  const Value next = set_condition(workload, "Preempted", true, reason, message, now);
  return with_eviction(next, "Preempted", message, now);
}

Value with_finished(const Value& workload, std::string_view reason, std::string message,
                    Instant now) {
  return set_condition(workload, "Finished", true, reason, std::move(message), now);
}

Value with_wait(const Value& workload, const Because& because, bool is_granular, Instant now) {
  const View before = objects::condition(workload, "QuotaReserved");
  const std::string message = because.message();
  const std::string_view reason = is_granular ? because.cause() : because.reason();
  const bool is_told = is_false(before) && before["reason"].string_or("") == reason &&
                       says_the_same(before["message"].string_or(""), message);
  Value next = workload;
  if (!is_told) next = set_condition(next, "QuotaReserved", false, reason, message, now);
  if (because.is_gated() && !is_true(objects::condition(next, "BlockedOnPreemptionGates"))) {
    next = set_condition(next, "BlockedOnPreemptionGates", true, "PreemptionGated", message, now);
  }
  return next;
}

Value with_unschedulable(const Value& pod, const Because& because, Instant now) {
  return objects::with_condition(
      pod,
      {.type = "PodScheduled",
       .status = "False",
       .reason = std::string(because.reason()),
       .message = cut_message(because.message(), condition_message_bytes_max)},
      now);
}

}  // namespace muster::core
