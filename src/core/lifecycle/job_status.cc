// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/job_status.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/timestamp.h"
#include "core/draft.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

std::vector<std::string> texts_of(View list) {
  std::vector<std::string> texts;
  for (View each : list.elements()) texts.emplace_back(each.string_or(""));
  return texts;
}

std::int64_t completions_of(View job) {
  return job["spec"]["completions"].integer_or(0);
}

bool is_indexed(View job) {
  return job["spec"]["completionMode"].string_or("") == "Indexed";
}

bool limits_indexes(View job) {
  return is_indexed(job) && job["spec"]["backoffLimitPerIndex"];
}

Value time_value(std::optional<Instant> time) {
  return time ? Value::string(format_time(Timestamp::of(*time))) : Value();
}

Value number_or_absent(std::int64_t number) {
  return number == 0 ? Value() : Value::integer(number);
}

}  // namespace

JobStatus JobStatus::of(const Value& job) {
  const View from = job["status"];
  JobStatus status;
  status.active = from["active"].integer_or(0);
  status.ready = from["ready"].integer_or(0);
  status.terminating = from["terminating"].integer_or(0);
  status.succeeded = from["succeeded"].integer_or(0);
  status.failed = from["failed"].integer_or(0);
  if (is_indexed(job)) {
    status.completed_indexes =
        IndexSet::parse(from["completedIndexes"].string_or(""), completions_of(job));
  }
  if (limits_indexes(job)) {
    status.failed_indexes =
        IndexSet::parse(from["failedIndexes"].string_or(""), completions_of(job));
  }
  status.uncounted_succeeded = texts_of(from["uncountedTerminatedPods"]["succeeded"]);
  status.uncounted_failed = texts_of(from["uncountedTerminatedPods"]["failed"]);
  status.start_time = objects::instant_of(from["startTime"]);
  status.completion_time = objects::instant_of(from["completionTime"]);
  for (View each : from["conditions"].elements()) status.conditions.push_back(job.part(each));
  return status;
}

void JobStatus::count_released(const std::set<std::string_view>& tracked_uids) {
  const auto count = [&](std::vector<std::string>& uids, std::int64_t& counter) {
    const auto released = [&](const std::string& uid) { return !tracked_uids.contains(uid); };
    counter = saturating_add(counter, static_cast<std::int64_t>(std::erase_if(uids, released)));
  };
  count(uncounted_succeeded, succeeded);
  count(uncounted_failed, failed);
}

View JobStatus::condition(std::string_view type) const {
  for (const Value& each : conditions) {
    if (each["type"].string_or("") == type) return each;
  }
  return {};
}

bool JobStatus::is_true(std::string_view type) const {
  return objects::is_true(condition(type));
}

bool JobStatus::state(const JobCondition& wanted, Instant now) {
  const View present = condition(wanted.type);
  const auto says = [&](std::string_view key) { return present[key].string_or(""); };
  if (!present && wanted.status == "False") return false;
  if (says("status") == wanted.status && says("reason") == wanted.reason &&
      says("message") == wanted.message) {
    return false;
  }
  const Value time = time_value(now);
  const Value made = Value::object({{"type", Value::string(wanted.type)},
                                    {"status", Value::string(wanted.status)},
                                    {"lastProbeTime", time},
                                    {"lastTransitionTime", time},
                                    {"reason", Value::string(wanted.reason)},
                                    {"message", Value::string(wanted.message)}});
  for (Value& each : conditions) {
    if (each["type"].string_or("") != wanted.type) continue;
    each = made;
    return true;
  }
  conditions.push_back(made);
  return true;
}

Value JobStatus::applied_to(const Value& job) const {
  Draft draft(job);
  const View before = job["status"];
  const auto set_time = [&](std::string_view key, std::optional<Instant> time) {
    if (objects::instant_of(before[key]) == time) return;
    draft.set_or_drop({"status", key}, time_value(time));
  };
  const Value uncounted = Draft(Value::object({}))
                              .set_or_drop({"succeeded"}, strings_of(uncounted_succeeded))
                              .set_or_drop({"failed"}, strings_of(uncounted_failed))
                              .value();
  draft.set_or_drop({"status", "conditions"}, list_of(conditions))
      .set_or_drop({"status", "active"}, number_or_absent(active))
      .set_or_drop({"status", "succeeded"}, number_or_absent(succeeded))
      .set_or_drop({"status", "failed"}, number_or_absent(failed))
      .set({"status", "ready"}, Value::integer(ready))
      .set({"status", "terminating"}, Value::integer(terminating))
      .set({"status", "uncountedTerminatedPods"}, uncounted);
  if (is_indexed(job)) {
    draft.set_or_drop({"status", "completedIndexes"}, Value::string(completed_indexes.to_string()));
  }
  if (limits_indexes(job)) {
    draft.set({"status", "failedIndexes"}, Value::string(failed_indexes.to_string()));
  }
  set_time("startTime", start_time);
  set_time("completionTime", completion_time);
  return draft.value();
}

}  // namespace muster::core
