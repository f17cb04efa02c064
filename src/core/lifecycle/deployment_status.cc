// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/deployment_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/timestamp.h"
#include "core/draft.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

struct Saying {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string message;
};

// As Kubernetes writes it: a reason that is the same leaves it alone; a status that is the same
// keeps its transition. `renews` moves its update time, too.
Value with_saying(const Value& deployment, const Saying& saying, bool renews, Instant now) {
  const View before = objects::condition(deployment, saying.type);
  const bool same_status = before["status"].string_or("") == saying.status;
  const bool same_reason = before["reason"].string_or("") == saying.reason;
  if (before && same_status && same_reason && !renews) return deployment;
  const Value time = Value::string(format_time(Timestamp::of(now)));
  const Value since = before && same_status ? deployment.part(before["lastTransitionTime"]) : time;
  const Value condition = Value::object({{"type", Value::string(saying.type)},
                                         {"status", Value::string(saying.status)},
                                         {"lastUpdateTime", time},
                                         {"lastTransitionTime", since},
                                         {"reason", Value::string(saying.reason)},
                                         {"message", Value::string(saying.message)}});
  std::vector<Value> all;
  for (View each : deployment["status"]["conditions"].elements()) {
    if (each["type"].string_or("") != saying.type) all.push_back(deployment.part(each));
  }
  all.push_back(condition);
  return Draft(deployment).set({"status", "conditions"}, list_of(all)).value();
}

Value with_counts(const Value& deployment, const DeploymentSets& sets) {
  Draft next(deployment);
  next.set({"status", "observedGeneration"}, Value::integer(objects::generation_of(deployment)));
  const auto count = [&next](std::string_view field, std::int64_t number) {
    if (number == 0) {
      next.drop({"status", field});
    } else {
      next.set({"status", field}, Value::integer(number));
    }
  };
  const std::int64_t available = sets.sum_of_status("availableReplicas");
  count("replicas", sets.sum_of_status("replicas"));
  count("updatedReplicas", sets.newest["status"]["replicas"].integer_or(0));
  count("readyReplicas", sets.sum_of_status("readyReplicas"));
  count("availableReplicas", available);
  count("unavailableReplicas", std::max<std::int64_t>(sets.sum_of_spec() - available, 0));
  next.set({"status", "terminatingReplicas"},
           Value::integer(sets.sum_of_status("terminatingReplicas")));
  return next.value();
}

Saying availability(const Value& deployment) {
  const std::int64_t wanted = deployment["spec"]["replicas"].integer_or(1);
  const std::int64_t available = deployment["status"]["availableReplicas"].integer_or(0);
  if (available >= wanted - rollout_bounds(deployment).unavailable) {
    return {"Available", "True", "MinimumReplicasAvailable",
            "Deployment has minimum availability."};
  }
  return {"Available", "False", "MinimumReplicasUnavailable",
          "Deployment does not have minimum availability."};
}

bool has_progressed(View before, View now) {
  const auto number = [](View status, std::string_view field) {
    return status[field].integer_or(0);
  };
  const auto old = [&](View status) {
    return number(status, "replicas") - number(status, "updatedReplicas");
  };
  return number(now, "updatedReplicas") > number(before, "updatedReplicas") ||
         old(now) < old(before) || number(now, "readyReplicas") > number(before, "readyReplicas") ||
         number(now, "availableReplicas") > number(before, "availableReplicas");
}

// What a ReplicaSet says of pods that were refused; the newest is heard first.
View replica_failure(const DeploymentSets& sets) {
  constexpr std::string_view type = "ReplicaFailure";
  if (const View failure = objects::condition(sets.newest, type)) return failure;
  for (const Value& set : sets.older) {
    if (const View failure = objects::condition(set, type)) return failure;
  }
  return {};
}

Value with_replica_failure(const Value& deployment, const DeploymentSets& sets) {
  const View failure = replica_failure(sets);
  const View before = objects::condition(deployment, "ReplicaFailure");
  const bool is_same =
      before["status"] == failure["status"] && before["reason"] == failure["reason"];
  if (is_same || (!failure && !before)) return deployment;
  std::vector<Value> all;
  for (View each : deployment["status"]["conditions"].elements()) {
    if (each["type"].string_or("") != "ReplicaFailure") all.push_back(deployment.part(each));
  }
  if (failure) {
    const Value time = Value::copy_of(failure["lastTransitionTime"]);
    all.push_back(Value::object({{"type", Value::string("ReplicaFailure")},
                                 {"status", Value::copy_of(failure["status"])},
                                 {"lastUpdateTime", time},
                                 {"lastTransitionTime", time},
                                 {"reason", Value::copy_of(failure["reason"])},
                                 {"message", Value::copy_of(failure["message"])}}));
  }
  return Draft(deployment).set({"status", "conditions"}, list_of(all)).value();
}

class Progress {
 public:
  Progress(const Value& before, Value counted, const DeploymentSeen& seen)
      : before_(before), next_(std::move(counted)), seen_(seen) {}

  DeploymentStatus judge() {
    const std::int64_t seconds =
        before_["spec"]["progressDeadlineSeconds"].integer_or(std::numeric_limits<int>::max());
    if (seconds == std::numeric_limits<int>::max()) return {next_};
    if (before_["spec"]["paused"].boolean_or(false)) {
      say("Unknown", "DeploymentPaused", "Deployment is paused");
      return {next_};
    }
    if (!seen_.created.empty()) {
      say("True", "NewReplicaSetCreated",
          fmt::format("Created new replica set \"{}\"", seen_.created), true);
      return {next_};
    }
    const View present = objects::condition(before_, "Progressing");
    if (!present && !seen_.sets.newest.is_absent()) {
      say("True", "FoundNewReplicaSet",
          fmt::format("Found new replica set \"{}\"", objects::name_of(seen_.sets.newest)));
      return {next_};
    }
    const std::string_view reason = present["reason"].string_or("");
    if (reason == "DeploymentPaused") {
      say("Unknown", "DeploymentResumed", "Deployment is resumed");
      return {next_};
    }
    const bool was_complete =
        reason == "NewReplicaSetAvailable" && !has_progressed(before_["status"], next_["status"]);
    if (is_complete(next_, next_["status"])) {
      say("True", "NewReplicaSetAvailable", text("{} has successfully progressed."));
    } else if (has_progressed(before_["status"], next_["status"])) {
      say("True", "ReplicaSetUpdated", text("{} is progressing."), true);
    } else if (!was_complete) {
      return time_out(present, seconds);
    }
    return {next_};
  }

 private:
  DeploymentStatus time_out(View present, std::int64_t seconds) {
    if (!present || present["reason"].string_or("") == "ProgressDeadlineExceeded") return {next_};
    const Instant since = objects::instant_of(present["lastUpdateTime"]).value_or(seen_.now);
    const Instant end{
        saturating_add(since.nanoseconds, saturating_multiply(seconds, nanoseconds_per_second))};
    if (seen_.now < end) return {next_, end};
    say("False", "ProgressDeadlineExceeded", text("{} has timed out progressing."));
    return {next_};
  }

  std::string text(std::string_view pattern) const {
    const std::string who =
        seen_.sets.newest.is_absent()
            ? fmt::format("Deployment \"{}\"", objects::name_of(before_))
            : fmt::format("ReplicaSet \"{}\"", objects::name_of(seen_.sets.newest));
    return fmt::format(fmt::runtime(pattern), who);
  }

  void say(std::string_view status, std::string_view reason, std::string message,
           bool renews = false) {
    next_ =
        with_saying(next_, {"Progressing", status, reason, std::move(message)}, renews, seen_.now);
  }

  const Value& before_;
  Value next_;
  const DeploymentSeen& seen_;
};

}  // namespace

bool is_complete(View deployment, View status) {
  const std::int64_t wanted = deployment["spec"]["replicas"].integer_or(1);
  return status["updatedReplicas"].integer_or(0) == wanted &&
         status["replicas"].integer_or(0) == wanted &&
         status["availableReplicas"].integer_or(0) == wanted &&
         status["observedGeneration"].integer_or(0) >= objects::generation_of(deployment);
}

DeploymentStatus with_deployment_status(const Value& deployment, const DeploymentSeen& seen) {
  Value next = with_counts(deployment, seen.sets);
  next = with_saying(next, availability(next), false, seen.now);
  DeploymentStatus judged = Progress(deployment, std::move(next), seen).judge();
  judged.deployment = with_replica_failure(judged.deployment, seen.sets);
  return judged;
}

}  // namespace muster::core
