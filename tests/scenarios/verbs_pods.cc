// Verbs on plain pods and pod groups in their queues.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/timestamp.h"
#include "core/draft.h"
#include "core/queueing/admit_pod.h"
#include "core/queueing/pod_job.h"
#include "core/queueing/reconcile_pods.h"
#include "core/queueing/role_hash.h"
#include "objects/json.h"
#include "objects/patch/merge_patch.h"
#include "tests/scenarios/edit_text.h"
#include "tests/scenarios/scenario.h"
#include "tests/scenarios/usual_job.h"

namespace muster::scenarios {

namespace {

using core::Draft;
using core::Edit;
using objects::Value;
using objects::View;

constexpr std::string_view usual_pod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {"namespace": "a", "resourceVersion": "7",
               "creationTimestamp": "2026-11-15T09:00:00Z",
               "labels": {"kueue.x-k8s.io/queue-name": "main", "kueue.x-k8s.io/managed": "true"},
               "annotations": {"kueue.x-k8s.io/role-hash": "r1"},
               "finalizers": ["kueue.x-k8s.io/managed"]},
  "spec": {"containers": [{"name": "main", "image": "i", "resources": {"requests": {"cpu": "1"}}}]},
  "status": {"phase": "Pending"}})";

constexpr std::string_view gates =
    R"([{"name": "kueue.x-k8s.io/admission"}, {"name": "kueue.x-k8s.io/topology"}])";

// like: gated, running (on node n), failed, succeeded. In a group of `total` where there is one.
Result<Value> pod_like(View special, View story) {
  Draft pod(TRY(objects::parse_json(usual_pod)));
  const std::string_view name = special["name"].string_or("p");
  pod.set({"metadata", "name"}, Value::string(name));
  pod.set({"metadata", "uid"}, Value::string(fmt::format("u-{}", name)));
  const std::string_view like = special["like"].string_or("gated");
  if (like == "gated") {
    pod.set({"spec", "schedulingGates"}, TRY(objects::parse_json(gates)));
  } else {
    pod.set({"spec", "nodeName"}, Value::string("n"));
    const std::string_view phase = like == "running"  ? "Running"
                                   : like == "failed" ? "Failed"
                                                      : "Succeeded";
    pod.set({"status", "phase"}, Value::string(phase));
  }
  if (const auto group = story["group"].string()) {
    pod.set({"metadata", "labels", "kueue.x-k8s.io/pod-group-name"}, Value::string(*group));
    pod.set({"metadata", "annotations", "kueue.x-k8s.io/pod-group-total-count"},
            Value::string(std::to_string(story["total"].integer_or(2))));
  }
  if (!special["with"]) return pod.value();
  return objects::apply_merge_patch(pod.value(), Value::copy_of(special["with"]));
}

// given: {pod, oldPod, config, namespace, hasDefaultQueue, hasManagedOwner}. With a config, which
// says who is managed, the answer has the warnings as well.
Result<Value> admit_pod(const Value& scenario) {
  const View given = scenario["given"];
  core::PodWrite write;
  write.pod = scenario.part(given["pod"]);
  if (given["oldPod"]) write.old_pod = scenario.part(given["oldPod"]);
  core::Configuration configuration;
  if (given["config"]) {
    configuration = TRY(core::read_configuration(scenario.part(given["config"])));
    write.scope = &configuration.jobs;
    if (given["namespace"]) write.name_space = scenario.part(given["namespace"]);
  }
  write.has_default_queue = given["hasDefaultQueue"].boolean_or(false);
  write.has_managed_owner = given["hasManagedOwner"].boolean_or(false);
  const core::PodAdmission admitted = core::admit_pod(write);
  if (!admitted.errors.empty()) return Error::invalid(admitted.errors.to_string());
  const std::vector<Edit> edits = {Edit::update(objects::resources::pods, admitted.pod)};
  const std::vector<Value> before = {write.pod};
  if (!given["config"]) return edits_value(edits, before);
  std::vector<Value> warnings;
  for (const std::string& each : admitted.warnings) warnings.push_back(Value::string(each));
  return Value::object(
      {{"edits", edits_value(edits, before)}, {"warnings", core::list_of(warnings)}});
}

// given: {group, total, pods, workloads, isKept}: pods as pod_like says. It is ten o'clock. The
// answer: the edits of one look.
Result<Value> reconcile_pods(const Value& scenario) {
  const View story = scenario["given"];
  std::vector<Value> pods;
  for (View each : story["pods"].elements()) pods.push_back(TRY(pod_like(each, story)));
  std::vector<Value> workloads;
  for (View each : story["workloads"].elements()) workloads.push_back(scenario.part(each));
  const std::vector<Value> flavors = {usual_flavor()};
  core::ReconciledPods given;
  given.group = story["group"].string_or("");
  given.is_kept = story["isKept"].boolean_or(false);
  given.pods = pods;
  given.rest.workloads = workloads;
  given.rest.flavors = flavors;
  given.rest.now = TRY(parse_time("2026-11-15T10:00:00Z")).saturated_instant();
  std::vector<Value> before = workloads;
  before.insert(before.end(), pods.begin(), pods.end());
  return edits_value(core::reconcile_pods(given), before);
}

// given: a pod spec. The answer: what is hashed, and the hash.
Result<Value> role_hash(const Value& scenario) {
  const View spec = scenario["given"];
  return Value::object({{"text", Value::string(core::role_text(spec))},
                        {"hash", Value::string(core::role_hash(spec))}});
}

constexpr NamedVerb verbs[] = {
    {"admit_pod", admit_pod}, {"reconcile_pods", reconcile_pods}, {"role_hash", role_hash}};

}  // namespace

std::span<const NamedVerb> pod_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
