// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/run_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "base/timestamp.h"
#include "core/draft.h"
#include "core/words.h"
#include "objects/metadata.h"
#include "objects/resource.h"

namespace muster::core {

using objects::Value;
using objects::View;
using objects::resources::nodes;
using objects::resources::pods;

namespace {

constexpr std::string_view effects[] = {"NoSchedule", "NoExecute"};
constexpr std::string_view cordon_taint = "node.kubernetes.io/unschedulable";

// The taint that a node's readiness asks for; empty: none.
std::string_view wanted_taint(View node) {
  const std::string_view ready = objects::condition(node, "Ready")["status"].string_or("");
  if (ready == "Unknown") return words::unreachable_taint;
  return ready == "False" ? words::not_ready_taint : std::string_view();
}

bool is_lifecycle_taint(View taint) {
  const std::string_view key = taint["key"].string_or("");
  return key == words::unreachable_taint || key == words::not_ready_taint;
}

Value silent_condition(const Value& node, View present, std::string_view type, Instant now) {
  const Value time = Value::string(format_time(Timestamp::of(now)));
  Draft draft(present ? node.part(present) : Value::object({{"type", Value::string(type)}}));
  return draft.set({"status"}, Value::string("Unknown"))
      .set({"reason"}, Value::string(present ? "NodeStatusUnknown" : "NodeStatusNeverUpdated"))
      .set({"message"}, Value::string(present ? "Kubelet stopped posting node status."
                                              : "Kubelet never posted node status."))
      .set({"lastTransitionTime"}, time)
      .value();
}

// Whatever the agent said last is not known to hold any more.
Value silenced(const Value& node, Instant now) {
  std::vector<Value> conditions;
  for (View each : node["status"]["conditions"].elements()) {
    const std::string_view type = each["type"].string_or("");
    const bool is_agents = type == "Ready" || type.ends_with("Pressure");
    const bool is_unknown = each["status"].string_or("") == "Unknown";
    conditions.push_back(is_agents && !is_unknown ? silent_condition(node, each, type, now)
                                                  : node.part(each));
  }
  if (!objects::condition(node, "Ready")) {
    conditions.push_back(silent_condition(node, {}, "Ready", now));
  }
  return Draft(node).set({"status", "conditions"}, list_of(conditions)).value();
}

Value taint_of(std::string_view key, std::string_view effect, Instant now) {
  return Value::object({{"key", Value::string(key)},
                        {"effect", Value::string(effect)},
                        {"timeAdded", Value::string(format_time(Timestamp::of(now)))}});
}

bool expels(View taint) {
  return taint["effect"].string_or("") == "NoExecute";
}

// The node with the taints that its readiness and its cordon ask for; itself where it has them.
Value tainted(const Value& node, Instant now) {
  const std::string_view key = wanted_taint(node);
  std::vector<Value> taints;
  std::vector<std::string_view> missing(std::begin(effects), std::end(effects));
  if (key.empty()) missing.clear();
  bool wants_cordon = node["spec"]["unschedulable"].boolean_or(false);
  const bool is_cordoned = wants_cordon;
  bool changes = false;
  for (View each : node["spec"]["taints"].elements()) {
    const std::string_view present = each["key"].string_or("");
    const bool is_cordon = present == cordon_taint && each["effect"].string_or("") == "NoSchedule";
    if (is_cordon) wants_cordon = false;
    const bool is_wanted = present == key;
    if (is_wanted) std::erase(missing, each["effect"].string_or(""));
    if ((is_lifecycle_taint(each) && !is_wanted) || (is_cordon && !is_cordoned)) {
      changes = true;
    } else {
      taints.push_back(node.part(each));
    }
  }
  if (!changes && missing.empty() && !wants_cordon) return node;
  for (const std::string_view effect : missing) taints.push_back(taint_of(key, effect, now));
  if (wants_cordon) taints.push_back(taint_of(cordon_taint, "NoSchedule", now));
  return Draft(node).set_or_drop({"spec", "taints"}, list_of(taints)).value();
}

bool tolerates(View toleration, View taint) {
  const std::string_view effect = toleration["effect"].string_or("");
  if (!effect.empty() && effect != taint["effect"].string_or("")) return false;
  const std::string_view key = toleration["key"].string_or("");
  const bool is_of_key = key == taint["key"].string_or("");
  if (toleration["operator"].string_or("Equal") == "Exists") return key.empty() || is_of_key;
  return is_of_key && toleration["value"].string_or("") == taint["value"].string_or("");
}

// How long the pod may stay on a node with that taint; nothing: for ever.
std::optional<Span> tolerated_for(View pod, View taint, Span otherwise) {
  std::optional<Span> shortest;
  bool is_tolerated = false;
  for (View each : pod["spec"]["tolerations"].elements()) {
    if (!tolerates(each, taint)) continue;
    is_tolerated = true;
    const auto seconds = each["tolerationSeconds"].integer();
    if (!seconds) continue;
    const Span span{saturating_multiply(std::max<std::int64_t>(*seconds, 0), 1'000'000'000)};
    if (!shortest || span < *shortest) shortest = span;
  }
  return is_tolerated ? shortest : otherwise;
}

// Until when the pod may stay; nothing: for ever. Of a taint that does not say since when it is
// there, it is since now.
std::optional<Instant> may_stay_until(View node, View pod, Instant now) {
  std::optional<Instant> until;
  for (View taint : node["spec"]["taints"].elements()) {
    if (!expels(taint)) continue;
    // Every pod is given five minutes of these; one that was not has them all the same.
    const bool is_usual = is_lifecycle_taint(taint);
    const auto stays = tolerated_for(pod, taint, is_usual ? default_toleration : Span());
    if (!stays) continue;
    const Instant since = objects::instant_of(taint["timeAdded"]).value_or(now);
    const Instant end{saturating_add(since.nanoseconds, stays->nanoseconds)};
    if (!until || end < *until) until = end;
  }
  return until;
}

// Those that expel say since when, where somebody is given time.
Value dated(const Value& node, std::span<const Value> on_node, Instant now) {
  const auto gives_time = [&](View taint) {
    return std::any_of(on_node.begin(), on_node.end(), [&](const Value& pod) {
      const auto stays = tolerated_for(pod, taint, Span());
      return stays && *stays > Span();
    });
  };
  std::vector<Value> taints;
  bool changes = false;
  for (View each : node["spec"]["taints"].elements()) {
    const bool is_undated = expels(each) && !each["timeAdded"] && gives_time(each);
    changes = changes || is_undated;
    Draft taint(node.part(each));
    if (is_undated) {
      taint.set({"timeAdded"}, Value::string(format_time(Timestamp::of(now))));
    }
    taints.push_back(taint.value());
  }
  return changes ? Draft(node).set({"spec", "taints"}, list_of(taints)).value() : node;
}

void remove_at_once(NodeStep& step, const Value& pod) {
  const View metadata = pod["metadata"];
  const bool is_asked =
      objects::is_being_deleted(pod) && metadata["deletionGracePeriodSeconds"].integer_or(-1) == 0;
  if (is_asked) return;
  step.edits.push_back(Edit::remove(pods, pod, 0));
  step.edits.back().alongside = step.edits.size() > 1;
}

void look_again_at(NodeStep& step, Instant time) {
  if (!step.look_again || time < *step.look_again) step.look_again = time;
}

bool has_ended(View pod) {
  const std::string_view phase = pod["status"]["phase"].string_or("");
  return phase == "Succeeded" || phase == "Failed";
}

// With its grace, and with the reason in its status.
void expel(NodeStep& step, const Value& pod, Instant now) {
  step.edits.push_back(Edit::update_status(
      pods, objects::with_condition(pod,
                                    {.type = "DisruptionTarget",
                                     .status = "True",
                                     .reason = "DeletionByTaintManager",
                                     .message = "Taint manager: deleting due to NoExecute taint"},
                                    now)));
  step.edits.push_back(Edit::remove(pods, pod));
  step.edits.push_back(
      Edit::record({.resource = pods,
                    .about = pod,
                    .reason = "TaintManagerEviction",
                    .message = fmt::format("Marking for deletion Pod {}/{}",
                                           objects::namespace_of(pod), objects::name_of(pod)),
                    .component = "taint-eviction-controller"}));
}

// Of a silent node nobody is left to confirm an end.
void evict_pods(NodeStep& step, const NodeObserved& observed, bool is_silent) {
  for (const Value& pod : observed.pods) {
    if (objects::is_being_deleted(pod)) {
      if (is_silent) remove_at_once(step, pod);
      continue;
    }
    const auto until = may_stay_until(observed.node, pod, observed.now);
    if (has_ended(pod) || !until) continue;
    if (observed.now < *until) {
      look_again_at(step, *until);
    } else if (is_silent) {
      remove_at_once(step, pod);
    } else {
      expel(step, pod, observed.now);
    }
  }
}

bool expels_any(View node) {
  for (View each : node["spec"]["taints"].elements()) {
    if (expels(each)) return true;
  }
  return false;
}

}  // namespace

NodeStep run_node(const NodeObserved& observed) {
  NodeStep step;
  const Value& node = observed.node;
  const bool is_silent = observed.silence >= node_silence_max;
  if (node.is_absent() && is_silent) {
    for (const Value& pod : observed.pods) remove_at_once(step, pod);
    return step;
  }
  if (node.is_absent()) {
    look_again_at(step, observed.now + (node_silence_max - observed.silence));
    return step;
  }
  if (!is_silent) {
    look_again_at(step, observed.now + (node_silence_max - observed.silence));
  } else if (objects::condition(node, "Ready")["status"].string_or("") != "Unknown") {
    step.edits.push_back(Edit::update_status(nodes, silenced(node, observed.now)));
    step.edits.push_back(Edit::record(
        {.resource = nodes,
         .about = node,
         .reason = "NodeNotReady",
         .message = fmt::format("Node {} status is now: NodeNotReady", objects::name_of(node)),
         .component = "node-controller"}));
    return step;
  }
  Value next = tainted(node, observed.now);
  if (!(next.view() == node.view())) {
    step.edits.push_back(Edit::update(nodes, std::move(next)));
    return step;
  }
  if (!expels_any(node)) return step;
  next = dated(node, observed.pods, observed.now);
  if (!(next.view() == node.view())) {
    step.edits.push_back(Edit::update(nodes, std::move(next)));
    return step;
  }
  evict_pods(step, observed, is_silent);
  return step;
}

}  // namespace muster::core
