// SPDX-License-Identifier: Apache-2.0
#include "server/job_status.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "objects/metadata.h"
#include "objects/schema/error_order.h"
#include "objects/schema/job_indexes.h"

namespace muster::server {

using objects::FieldError;
using objects::View;

namespace {

bool has(View job, std::string_view condition) {
  return objects::is_true(objects::condition(job, condition));
}

// A job before and after, and where to say what is wrong. The peer's order is that of the calls.
struct StatusChange {
  View now;
  View before;
  objects::FieldErrors& errors;

  View status(std::string_view field) const { return now["status"][field]; }
  View old_status(std::string_view field) const { return before["status"][field]; }
  bool changes(std::string_view field) const { return !(status(field) == old_status(field)); }
  bool turns(std::string_view condition) const {
    return has(now, condition) != has(before, condition);
  }
  bool is_complete() const { return has(now, "Complete"); }
  bool is_failed() const { return has(now, "Failed"); }
  bool is_finished() const { return is_complete() || is_failed(); }
  bool finishes() const {
    return is_finished() != (has(before, "Complete") || has(before, "Failed"));
  }

  void add(FieldError error) const {
    error.pass = objects::error_pass_as_it_comes;
    errors.add(std::move(error));
  }
  void refuse(std::string_view field, std::string_view why) const {
    add(FieldError::invalid(fmt::format("status.{}", field), status(field), std::string(why)));
  }
  void require(std::string_view field, std::string_view why) const {
    add(FieldError::required(fmt::format("status.{}", field), std::string(why)));
  }
  void refuse_conditions(std::string_view why) const {
    add({FieldError::Type::invalid, "status.conditions", "", std::string(why)});
  }
};

void check_numbers(const StatusChange& change) {
  for (const std::string_view field : {"active", "succeeded", "failed", "ready", "terminating"}) {
    if (change.status(field).integer_or(0) < 0) {
      change.refuse(field, "must be greater than or equal to 0");
    }
  }
}

void check_uncounted(const StatusChange& change) {
  std::set<std::string_view> seen;
  for (const std::string_view list : {"succeeded", "failed"}) {
    std::size_t index = 0;
    for (View uid : change.status("uncountedTerminatedPods")[list].elements()) {
      const std::string place = fmt::format("status.uncountedTerminatedPods.{}[{}]", list, index++);
      if (uid.string_or("").empty()) {
        change.add(FieldError::invalid(place, uid, "must not be empty"));
      } else if (!seen.insert(uid.string_or("")).second) {
        change.add(FieldError::duplicate(place, uid));
      }
    }
  }
}

void check_times(const StatusChange& change) {
  const View end = change.status("completionTime");
  const bool looks_at_end = change.turns("Complete") || change.changes("completionTime");
  if (looks_at_end && end && !change.is_complete()) {
    change.refuse("completionTime",
                  "cannot set completionTime when there is no Complete=True condition");
  }
  if (looks_at_end && !end && change.is_complete()) {
    change.require("completionTime", "completionTime is required for Complete jobs");
  }
  const auto ended = objects::instant_of(end);
  const auto began = objects::instant_of(change.status("startTime"));
  const bool moves = change.changes("startTime") || change.changes("completionTime");
  if (moves && ended && began && *ended < *began) {
    change.refuse("completionTime", "must be equal to or after `startTime`");
  }
}

void check_end(const StatusChange& change) {
  const bool completes = change.turns("Complete");
  if ((completes || change.turns("Failed")) && change.is_complete() && change.is_failed()) {
    change.refuse_conditions("cannot set Complete=True and Failed=true conditions");
  }
  if ((completes || change.turns("FailureTarget")) && change.is_complete() &&
      has(change.now, "FailureTarget")) {
    change.refuse_conditions("cannot set Complete=True and FailureTarget=true conditions");
  }
  check_times(change);
  if ((change.turns("Failed") || change.changes("failedIndexes")) && change.is_failed() &&
      !has(change.now, "FailureTarget")) {
    change.refuse_conditions(
        "cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if ((completes || change.turns("SuccessCriteriaMet")) && change.is_complete() &&
      !has(change.now, "SuccessCriteriaMet")) {
    change.refuse_conditions(
        "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
  if ((change.finishes() || change.changes("active")) && change.is_finished() &&
      change.status("active").integer_or(0) > 0) {
    change.refuse("active", "active>0 is invalid for finished job");
  }
  const bool never_had_pods = change.now["spec"]["suspend"].boolean_or(false) &&
                              change.now["spec"]["completions"].integer_or(1) == 0;
  if ((change.finishes() || change.changes("startTime")) && change.is_finished() &&
      !change.status("startTime") && !never_had_pods) {
    change.require("startTime", "startTime is required for finished job");
  }
}

void check_indexes(const StatusChange& change) {
  const View spec = change.now["spec"];
  const std::int64_t completions = spec["completions"].integer_or(0);
  const auto check_text = [&](std::string_view field) {
    const auto read = objects::read_job_indexes(change.status(field).string_or(""), completions);
    if (read.refusal.empty()) return;
    change.refuse(field, fmt::format("error parsing {}: {}", field, read.refusal));
  };
  const bool completed = change.changes("completedIndexes");
  const bool failed = change.changes("failedIndexes") && change.status("failedIndexes");
  if (completed && spec["completions"]) check_text("completedIndexes");
  if (failed && spec["completions"] && spec["backoffLimitPerIndex"]) check_text("failedIndexes");
  const bool is_indexed = spec["completionMode"].string_or("") == "Indexed";
  if (completed && !is_indexed && !change.status("completedIndexes").string_or("").empty()) {
    change.refuse("completedIndexes",
                  "cannot set non-empty completedIndexes when non-indexed completion mode");
  }
  if (failed && !spec["backoffLimitPerIndex"]) {
    change.refuse("failedIndexes",
                  "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
}

void check_pods(const StatusChange& change) {
  if ((change.finishes() || change.changes("terminating")) && change.is_finished() &&
      change.status("terminating").integer_or(0) > 0) {
    change.refuse("terminating", "terminating>0 is invalid for finished job");
  }
  if ((change.changes("ready") || change.changes("active")) &&
      change.status("active").integer_or(0) >= 0 &&
      change.status("ready").integer_or(0) > change.status("active").integer_or(0)) {
    change.refuse("ready", "cannot set more ready pods than active");
  }
}

// What was said once stays said.
void check_way(const StatusChange& change) {
  for (const std::string_view end : {"Failed", "Complete", "FailureTarget"}) {
    if (!has(change.before, end) || has(change.now, end)) continue;
    change.refuse_conditions(fmt::format("cannot disable the terminal {}=True condition", end));
  }
  const View spec = change.now["spec"];
  const bool may_shrink = spec["completionMode"].string_or("") == "Indexed" &&
                          spec["completions"] == spec["parallelism"];
  for (const std::string_view counter : {"failed", "succeeded"}) {
    if (counter == "succeeded" && may_shrink) continue;
    if (change.status(counter).integer_or(0) >= change.old_status(counter).integer_or(0)) continue;
    change.refuse(counter, fmt::format("cannot decrease the {} counter", counter));
  }
  if (change.status("completionTime") && change.old_status("completionTime") &&
      change.changes("completionTime")) {
    change.refuse("completionTime", "field is immutable");
  }
  if (has(change.before, "SuccessCriteriaMet") && !has(change.now, "SuccessCriteriaMet")) {
    change.refuse_conditions("cannot disable the SuccessCriteriaMet=True condition");
  }
}

}  // namespace

void check_job_status(Admission& admission) {
  const StatusChange change{admission.object, admission.old_object, admission.errors};
  check_numbers(change);
  check_uncounted(change);
  check_end(change);
  check_indexes(change);
  check_pods(change);
  check_way(change);
}

}  // namespace muster::server
