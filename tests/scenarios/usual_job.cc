// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/usual_job.h"

#include <string>
#include <vector>

#include "core/draft.h"
#include "core/queueing/compose_workload.h"
#include "core/queueing/shape.h"
#include "objects/json.h"
#include "objects/patch/merge_patch.h"

namespace muster::scenarios {

using core::Draft;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view waiting_job = R"({
  "apiVersion": "batch/v1", "kind": "Job",
  "metadata": {"name": "train", "namespace": "a", "uid": "u1", "resourceVersion": "5",
               "labels": {"kueue.x-k8s.io/queue-name": "main"}},
  "spec": {
    "parallelism": 2, "completions": 2, "completionMode": "Indexed", "suspend": true,
    "template": {
      "metadata": {"labels": {"app": "t", "batch.kubernetes.io/job-name": "train",
                              "batch.kubernetes.io/controller-uid": "u1"}},
      "spec": {"restartPolicy": "Never",
               "containers": [{"name": "main", "image": "i",
                               "resources": {"requests": {"cpu": "1"}}}]}}}})";

constexpr std::string_view of_a_stored_workload = R"({
  "metadata": {"uid": "w1", "resourceVersion": "9", "generation": 1,
               "creationTimestamp": "2026-11-15T09:00:00Z"}})";

constexpr std::string_view admitted_status = R"({
  "admission": {"clusterQueue": "cq", "podSetAssignments": [
      {"name": "main", "count": 2, "flavors": {"cpu": "spot", "memory": "spot"}}]},
  "conditions": [
    {"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved", "message": "m",
     "lastTransitionTime": "2026-11-15T09:30:00Z"},
    {"type": "Admitted", "status": "True", "reason": "Admitted", "message": "m",
     "lastTransitionTime": "2026-11-15T09:30:00Z"}]})";

constexpr std::string_view spot = R"({
  "metadata": {"name": "spot"},
  "spec": {"nodeLabels": {"kind": "spot"}, "tolerations": [{"key": "spot", "operator": "Exists"}]}
})";

Value parsed(std::string_view text) {
  return objects::parse_json(text).must();
}

Value waiting_workload() {
  core::Reconciled given;
  given.job = parsed(waiting_job);
  const core::Shape& shape = core::job_shape();
  const auto sets = shape.pod_sets(given.job).must();
  const Value composed = core::compose_workload(shape, given, sets).must();
  return objects::apply_merge_patch(composed, parsed(of_a_stored_workload)).must();
}

Value admitted_workload() {
  return Draft(waiting_workload()).set({"status"}, parsed(admitted_status)).value();
}

Value started_job() {
  const std::vector<Value> flavors = {usual_flavor()};
  const auto injections = core::injections_of(admitted_workload(), flavors);
  return core::job_shape().start(parsed(waiting_job), *injections).must()[0].object;
}

Result<Value> with_special(const Value& usual, View special) {
  Draft patch(Value::copy_of(special));
  patch.drop({"like"}).drop({"andConditions"});
  Draft made(TRY(objects::apply_merge_patch(usual, patch.value())));
  for (View each : special["andConditions"].elements()) {
    Draft condition(Value::copy_of(each));
    if (!each["message"]) condition.set({"message"}, Value::string("m"));
    if (!each["lastTransitionTime"]) {
      condition.set({"lastTransitionTime"}, Value::string("2026-11-15T09:45:00Z"));
    }
    const View present = made.value()["status"]["conditions"];
    if (present) {
      made.set({"status", "conditions", present.size()}, condition.value());
    } else {
      made.set({"status", "conditions"}, Value::array({condition.value()}));
    }
  }
  return made.value();
}

}  // namespace

Value usual_flavor() {
  return parsed(spot);
}

Result<Value> job_like(View special) {
  const std::string_view like = special["like"].string_or("waiting");
  return with_special(like == "started" ? started_job() : parsed(waiting_job), special);
}

Result<Value> workload_like(View special) {
  const std::string_view like = special["like"].string_or("waiting");
  return with_special(like == "admitted" ? admitted_workload() : waiting_workload(), special);
}

}  // namespace muster::scenarios
