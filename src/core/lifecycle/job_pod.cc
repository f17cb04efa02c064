// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/job_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/timestamp.h"
#include "base/uid.h"
#include "core/draft.h"
#include "core/lifecycle/replica_pods.h"
#include "core/words.h"
#include "objects/metadata.h"
#include "objects/resource.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

constexpr std::size_t name_prefix_length_max = generated_name_length_max - name_suffix_length;

Value index_variable() {
  const Value field = Value::string(fmt::format("metadata.labels['{}']", words::completion_index));
  return Value::object(
      {{"name", Value::string("JOB_COMPLETION_INDEX")},
       {"valueFrom", Value::object({{"fieldRef", Value::object({{"fieldPath", field}})}})}});
}

bool has_variable(View container, std::string_view name) {
  for (View each : container["env"].elements()) {
    if (each["name"].string_or("") == name) return true;
  }
  return false;
}

void add_index_variables(Draft& pod, View spec) {
  const Value variable = index_variable();
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (std::size_t i = 0; i < spec[list].size(); ++i) {
      const View container = spec[list][i];
      if (has_variable(container, "JOB_COMPLETION_INDEX")) continue;
      if (container["env"].is_array()) {
        pod.set({"spec", list, i, "env", container["env"].size()}, variable);
      } else {
        pod.set({"spec", list, i, "env"}, Value::array({variable}));
      }
    }
  }
}

// Pods that are made late in a job's life are fewer than those it began with.
void lower_gang_size(Draft& pod, std::int64_t size) {
  const auto text = objects::annotations_of(pod.value())[words::gang_size].string_or("");
  std::int64_t present = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), present);
  if (text.empty() || read.ec != std::errc() || present <= size) return;
  pod.set({"metadata", "annotations", words::gang_size}, Value::string(std::to_string(size)));
}

}  // namespace

PodMaker::PodMaker(const Value& job, const PodsMade& pods)
    : job_name_(objects::name_of(job)),
      incarnation_(
          fmt::format("{}\n{}", objects::uid_of(job), format_time(Timestamp::of(pods.started)))),
      is_taken_(pods.is_taken) {
  if (pods.failed > 0) incarnation_ += fmt::format("\n{}", pods.failed);
  const View pod_template = job["spec"]["template"];
  const auto part = [&](View of) { return job.part(of); };
  std::vector<Value> finalizers;
  for (View each : pod_template["metadata"]["finalizers"].elements()) {
    if (each.string_or("") != words::job_tracking) finalizers.push_back(part(each));
  }
  finalizers.push_back(Value::string(words::job_tracking));
  Draft pod(Value::object({{"apiVersion", Value::string("v1")}, {"kind", Value::string("Pod")}}));
  pod.set({"metadata", "namespace"}, Value::string(objects::namespace_of(job)))
      .set_or_drop({"metadata", "labels"}, part(pod_template["metadata"]["labels"]))
      .set_or_drop({"metadata", "annotations"}, part(pod_template["metadata"]["annotations"]))
      .set({"metadata", "finalizers"}, list_of(finalizers))
      .set({"metadata", "ownerReferences"},
           Value::array({controller_reference(objects::resources::jobs.api_version(),
                                              objects::resources::jobs.kind, job)}))
      .set({"spec"}, part(pod_template["spec"]));
  lower_gang_size(pod, pods.gang_size);
  if (job["spec"]["completionMode"].string_or("") == "Indexed") {
    add_index_variables(pod, pod_template["spec"]);
  }
  pod_ = pod.value();
}

Value PodMaker::make(std::optional<std::int64_t> index, std::set<std::string>& taken_names,
                     const std::optional<IndexFailures>& failures) {
  const std::string prefix = name_prefix(index);
  Draft pod(pod_);
  pod.set({"metadata", "generateName"}, Value::string(prefix))
      .set({"metadata", "name"}, Value::string(free_name(prefix, index, taken_names)));
  if (index) {
    const Value text = Value::string(std::to_string(*index));
    pod.set({"metadata", "labels", words::completion_index}, text)
        .set({"metadata", "annotations", words::completion_index}, text)
        .set({"spec", "hostname"}, Value::string(fmt::format("{}-{}", job_name_, *index)));
  }
  if (failures) {
    pod.set({"metadata", "annotations", words::index_failures},
            Value::string(std::to_string(failures->counted)));
  }
  if (failures && failures->ignored > 0) {
    pod.set({"metadata", "annotations", words::index_ignored_failures},
            Value::string(std::to_string(failures->ignored)));
  }
  return pod.value();
}

std::string PodMaker::name_prefix(std::optional<std::int64_t> index) const {
  const std::string end = index ? fmt::format("-{}-", *index) : "-";
  return job_name_.substr(0, name_prefix_length_max - end.size()) + end;
}

std::string PodMaker::free_name(const std::string& prefix, std::optional<std::int64_t> index,
                                std::set<std::string>& taken_names) {
  std::size_t of_this_index = 0;
  std::size_t& attempt = index ? of_this_index : next_attempt_;
  for (;; ++attempt) {
    std::string name = prefix + suffix_following(fmt::format("{}\n{}\n{}", incarnation_,
                                                             index.value_or(-1), attempt),
                                                 name_suffix_length);
    if (is_taken_ && is_taken_(name)) continue;
    if (taken_names.insert(name).second) return name;
  }
}

}  // namespace muster::core
