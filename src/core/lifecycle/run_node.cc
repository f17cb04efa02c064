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

// The node with the taints that its readiness asks for; itself where it has them.
Value tainted(const Value& node, Instant now) {
  const std::string_view key = wanted_taint(node);
  std::vector<Value> taints;
  std::vector<std::string_view> missing(std::begin(effects), std::end(effects));
  if (key.empty()) missing.clear();
  bool changes = false;
  for (View each : node["spec"]["taints"].elements()) {
    const bool is_wanted = each["key"].string_or("") == key;
    if (is_wanted) std::erase(missing, each["effect"].string_or(""));
    if (is_lifecycle_taint(each) && !is_wanted) {
      changes = true;
    } else {
      taints.push_back(node.part(each));
    }
  }
  if (!changes && missing.empty()) return node;
  const Value time = Value::string(format_time(Timestamp::of(now)));
  for (const std::string_view effect : missing) {
    taints.push_back(Value::object(
        {{"key", Value::string(key)}, {"effect", Value::string(effect)}, {"timeAdded", time}}));
  }
  return Draft(node).set_or_drop({"spec", "taints"}, list_of(taints)).value();
}

// Since when pods have to leave; nothing while they need not.
std::optional<Instant> evicts_since(View node) {
  for (View each : node["spec"]["taints"].elements()) {
    const bool is_it = each["key"].string_or("") == words::unreachable_taint &&
                       each["effect"].string_or("") == "NoExecute";
    if (is_it) return objects::instant_of(each["timeAdded"]);
  }
  return std::nullopt;
}

bool tolerates_unreachable(View toleration) {
  const std::string_view effect = toleration["effect"].string_or("");
  if (!effect.empty() && effect != "NoExecute") return false;
  const std::string_view key = toleration["key"].string_or("");
  const std::string_view operation = toleration["operator"].string_or("Equal");
  if (operation == "Exists") return key.empty() || key == words::unreachable_taint;
  return key == words::unreachable_taint && toleration["value"].string_or("").empty();
}

// How long the pod may stay; nothing: for ever.
std::optional<Span> tolerated_for(View pod) {
  std::optional<Span> shortest;
  bool tolerates = false;
  for (View each : pod["spec"]["tolerations"].elements()) {
    if (!tolerates_unreachable(each)) continue;
    tolerates = true;
    const auto seconds = each["tolerationSeconds"].integer();
    if (!seconds) continue;
    const Span span{saturating_multiply(std::max<std::int64_t>(*seconds, 0), 1'000'000'000)};
    if (!shortest || span < *shortest) shortest = span;
  }
  return tolerates ? shortest : default_toleration;
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

void evict_pods(NodeStep& step, const NodeObserved& observed, Instant since) {
  for (const Value& pod : observed.pods) {
    if (objects::is_being_deleted(pod)) {
      remove_at_once(step, pod);
      continue;
    }
    const std::string_view phase = pod["status"]["phase"].string_or("");
    const auto stays = tolerated_for(pod);
    if (phase == "Succeeded" || phase == "Failed" || !stays) continue;
    const Instant until{saturating_add(since.nanoseconds, stays->nanoseconds)};
    if (observed.now < until) {
      look_again_at(step, until);
    } else {
      remove_at_once(step, pod);
    }
  }
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
  const auto since = evicts_since(node);
  if (is_silent && since) evict_pods(step, observed, *since);
  return step;
}

}  // namespace muster::core
