// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/daemon_pod.h"

#include <algorithm>
#include <utility>

#include "core/draft.h"
#include "core/lifecycle/replica_pods.h"
#include "core/lifecycle/stateful_pod.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

constexpr std::string_view template_generation_annotation =
    "deprecated.daemonset.template.generation";

struct Tolerated {
  std::string_view key;
  std::string_view effect;
  bool only_on_host_network = false;
};

// A pod that belongs to its node stays when the node is not well.
constexpr Tolerated tolerated[] = {
    {"node.kubernetes.io/not-ready", "NoExecute"},
    {"node.kubernetes.io/unreachable", "NoExecute"},
    {"node.kubernetes.io/disk-pressure", "NoSchedule"},
    {"node.kubernetes.io/memory-pressure", "NoSchedule"},
    {"node.kubernetes.io/pid-pressure", "NoSchedule"},
    {"node.kubernetes.io/unschedulable", "NoSchedule"},
    {"node.kubernetes.io/network-unavailable", "NoSchedule", true},
};

Value with_tolerations(const Value& set) {
  const View spec = set["spec"]["template"]["spec"];
  std::vector<Value> all;
  for (View each : spec["tolerations"].elements()) all.push_back(set.part(each));
  for (const Tolerated& each : tolerated) {
    if (each.only_on_host_network && !spec["hostNetwork"].boolean_or(false)) continue;
    const Value added = Value::object({{"key", Value::string(each.key)},
                                       {"operator", Value::string("Exists")},
                                       {"effect", Value::string(each.effect)}});
    const bool is_there = std::any_of(
        all.begin(), all.end(), [&](const Value& present) { return present.view() == added; });
    if (!is_there) all.push_back(added);
  }
  return list_of(all);
}

}  // namespace

std::string_view daemon_node_of(View pod) {
  const std::string_view bound = pod["spec"]["nodeName"].string_or("");
  if (!bound.empty()) return bound;
  const View terms = pod["spec"]["affinity"]["nodeAffinity"]
                        ["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
  for (View term : terms.elements()) {
    for (View field : term["matchFields"].elements()) {
      if (field["key"].string_or("") == "metadata.name") return field["values"][0].string_or("");
    }
  }
  return {};
}

DaemonTemplate::DaemonTemplate(const Value& set) : set_(set), tolerations_(with_tolerations(set)) {
  Draft wanted(set.part(set["spec"]["template"]["spec"]));
  wanted.set({"tolerations"}, tolerations_);
  auto terms = read_scheduling_terms(wanted.value());
  can_be_read_ = terms.has_value();
  if (terms) terms_ = std::move(*terms);
}

DaemonFit DaemonTemplate::fit(View node) const {
  const std::string_view asked = set_["spec"]["template"]["spec"]["nodeName"].string_or("");
  const std::string_view name = objects::name_of(node);
  const Labels labels = read_labels(objects::labels_of(node));
  const bool matches = can_be_read_ && (asked.empty() || asked == name) &&
                       terms_.selector_matches(labels) && terms_.affinity_matches(labels, name);
  if (!matches) return {};
  const std::vector<Taint> taints = read_taints(node["spec"]["taints"]);
  std::vector<Taint> expelling;
  for (const Taint& taint : taints) {
    if (taint.effect == TaintEffect::no_execute) expelling.push_back(taint);
  }
  return {.should_run = first_untolerated(taints, {terms_.tolerations}) == nullptr,
          .may_stay = first_untolerated(expelling, {terms_.tolerations}) == nullptr};
}

// The affinity for its node takes the place of what the template requires, which was asked already.
Value DaemonTemplate::pod(std::string_view node, std::string_view hash) const {
  const Value generation = set_.part(objects::annotations_of(set_)[template_generation_annotation]);
  const Value field = Value::object({{"key", Value::string("metadata.name")},
                                     {"operator", Value::string("In")},
                                     {"values", Value::array({Value::string(node)})}});
  const Value term = Value::object({{"matchFields", Value::array({field})}});
  Draft pod(pod_of_template(daemon_sets, set_));
  pod.set({"metadata", "generateName"}, Value::string(std::string(objects::name_of(set_)) + "-"))
      .set({"metadata", "labels", revision_hash_label}, Value::string(hash))
      .set_or_drop({"metadata", "labels", "pod-template-generation"}, generation)
      .set({"spec", "tolerations"}, tolerations_)
      .set({"spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
            "nodeSelectorTerms"},
           Value::array({term}));
  return pod.value();
}

}  // namespace muster::core
