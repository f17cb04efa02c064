// SPDX-License-Identifier: Apache-2.0
#include "core/plan/admission_status.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/timestamp.h"
#include "core/draft.h"
#include "core/model/limits.h"
#include "core/queueing/workload_status.h"
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

Value with_eviction(const Value& workload, std::string_view reason, const std::string& message,
                    Instant now) {
  return evicted(workload, reason, cut_message(message, condition_message_bytes_max), now);
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

Value with_refusal(const Value& pod, std::string_view reason, std::string_view message,
                   Instant now) {
  Draft next(pod);
  next.set({"status", "phase"}, Value::string("Failed"))
      .set({"status", "reason"}, Value::string(reason))
      .set({"status", "message"}, Value::string(fmt::format("Pod was rejected: {}", message)));
  if (!pod["status"]["startTime"]) {
    next.set({"status", "startTime"}, Value::string(format_time(Timestamp::of(now))));
  }
  return next.value();
}

}  // namespace muster::core
