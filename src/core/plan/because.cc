// SPDX-License-Identifier: Apache-2.0
#include "core/plan/because.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/checked.h"
#include "core/model/resource_names.h"
#include "objects/builder.h"

namespace muster::core {

using objects::Value;

namespace {

using Type = Reason::Type;

struct Words {
  Type type;
  std::string_view name;    // in JSON
  std::string_view reason;  // of the condition, as Kueue v0.19 has it by default
  std::string_view cause;   // with UnadmittedWorkloadsObservability
};

// In the order of severity: the first that applies names the cause.
constexpr std::array<Words, 43> words{{
    {Type::node_failed, "NodeFailed", "NodeFailures", "NodeFailures"},
    {Type::invalid, "Invalid", "Inadmissible", "Misconfigured"},
    {Type::queue_not_found, "QueueNotFound", "Inadmissible", "Misconfigured"},
    {Type::queue_stopped, "QueueStopped", "Inadmissible", "Suspended"},
    {Type::cluster_queue_not_found, "ClusterQueueNotFound", "Inadmissible", "Misconfigured"},
    {Type::cluster_queue_inactive, "ClusterQueueInactive", "Inadmissible", "Suspended"},
    {Type::namespace_not_found, "NamespaceNotFound", "Pending", "Misconfigured"},
    {Type::namespace_mismatch, "NamespaceMismatch", "Pending", "Misconfigured"},
    {Type::checks_failed, "ChecksFailed", "Pending", "PendingEvaluation"},
    {Type::resource_unavailable, "ResourceUnavailable", "Pending", "NoMatchingFlavor"},
    {Type::flavor_not_found, "FlavorNotFound", "Pending", "NoMatchingFlavor"},
    {Type::untolerated_taint, "UntoleratedTaint", "Pending", "NoMatchingFlavor"},
    {Type::node_affinity, "NodeAffinity", "Pending", "NoMatchingFlavor"},
    {Type::flavor_without_topology, "FlavorWithoutTopology", "Pending", "NoMatchingFlavor"},
    {Type::flavor_topology_unknown, "FlavorTopologyUnknown", "Pending", "NoMatchingFlavor"},
    {Type::flavor_for_topology_only, "FlavorForTopologyOnly", "Pending", "NoMatchingFlavor"},
    {Type::level_missing, "LevelMissing", "Pending", "NoMatchingFlavor"},
    {Type::other_flavor_in_slice, "OtherFlavorInSlice", "Pending", "NoMatchingFlavor"},
    {Type::flavor_not_nominated, "FlavorNotNominated", "Pending", "NoMatchingFlavor"},
    {Type::not_assignable, "NotAssignable", "Pending", "NoMatchingFlavor"},
    {Type::exceeds_maximum, "ExceedsMaximum", "Pending", "ExceedsMaxQuota"},
    {Type::quota_in_use, "QuotaInUse", "Pending", "WaitingForQuota"},
    {Type::no_place, "NoPlace", "Pending", "TopologyPlacementFailed"},
    {Type::no_topology, "NoTopology", "Pending", "TopologyPlacementFailed"},
    {Type::no_room, "NoRoom", "Pending", "WaitingForQuota"},
    {Type::unstated_resources, "UnstatedResources", "Pending", "Misconfigured"},
    {Type::refused, "Refused", "Refused", "Refused"},
    {Type::unschedulable, "Unschedulable", "Unschedulable", "Unschedulable"},
    {Type::lost_race, "LostRace", "Pending", "WaitingForQuota"},
    {Type::overlapping_targets, "OverlappingTargets", "Pending", "WaitingForQuota"},
    {Type::deferred_fit, "DeferredFit", "Pending", "WaitingForPreemptedWorkloads"},
    {Type::pending_preemption, "PendingPreemption", "Pending", "WaitingForPreemptedWorkloads"},
    {Type::preemption_gated, "PreemptionGated", "Pending", "AdmissionGated"},
    {Type::pods_not_ready, "PodsNotReady", "Waiting", "WaitingForPodsReady"},
    {Type::deactivated, "Deactivated", "Pending", ""},
    {Type::invalid_requests, "InvalidRequests", "Pending", "Misconfigured"},
    {Type::unsupported, "Unsupported", "Inadmissible", "Misconfigured"},
    {Type::behind, "Behind", "Pending", "PendingEvaluation"},
    {Type::equal_waits, "EqualWaits", "Pending", "PendingEvaluation"},
    {Type::resting, "Resting", "Pending", "PendingEvaluation"},
    {Type::start_reserved, "StartReserved", "Pending", "WaitingForQuota"},
    {Type::kept_for_first, "KeptForFirst", "Pending", "WaitingForQuota"},
    {Type::quota_reserved, "QuotaReserved", "QuotaReserved", "QuotaReserved"},
}};

const Words& words_of(Type type) {
  return *std::ranges::find(words, type, &Words::type);
}

// The least of the severe: with several flavors, the one that is nearest to fitting names it.
const Words& leading(const std::vector<Reason>& reasons) {
  const Words* best = &words_of(Type::invalid);
  for (const Reason& reason : reasons) {
    const Words& candidate = words_of(reason.type);
    if (best == &words_of(Type::invalid) || &candidate > best) best = &candidate;
  }
  return *best;
}

bool concerns_flavors(Type type) {
  switch (type) {
    case Type::resource_unavailable:
    case Type::flavor_not_found:
    case Type::untolerated_taint:
    case Type::node_affinity:
    case Type::flavor_without_topology:
    case Type::flavor_topology_unknown:
    case Type::flavor_for_topology_only:
    case Type::level_missing:
    case Type::other_flavor_in_slice:
    case Type::flavor_not_nominated:
    case Type::exceeds_maximum:
    case Type::quota_in_use:
    case Type::no_topology:
      return true;
    default:
      return false;
  }
}

std::string quota_text(const Reason& reason) {
  // What is asked for is always a number; quota may have no end.
  const auto text = [&](std::int64_t amount) {
    return amount == unlimited ? "<unlimited>" : amount_text(reason.resource, amount);
  };
  if (reason.type == Type::quota_in_use) {
    return fmt::format("insufficient unused quota for {} in flavor {}, {} more needed",
                       reason.resource, reason.flavor, text(reason.amount));
  }
  return fmt::format(
      "insufficient quota for {} in flavor {}, previously considered podsets requests ({}) + "
      "current podset request ({}) > maximum capacity ({})",
      reason.resource, reason.flavor, text(reason.assumed),
      amount_text(reason.resource, reason.amount), text(reason.limit));
}

// What kept a flavor away whatever its quota.
std::string flavor_text(const Reason& reason) {
  switch (reason.type) {
    case Type::flavor_not_found:
      return fmt::format("flavor {} not found", reason.flavor);
    case Type::untolerated_taint:
      return fmt::format("untolerated taint {} in flavor {}", reason.name, reason.flavor);
    case Type::node_affinity:
      return fmt::format("flavor {} doesn't match node affinity", reason.flavor);
    case Type::flavor_without_topology:
      return fmt::format("Flavor \"{}\" does not support TopologyAwareScheduling", reason.flavor);
    case Type::flavor_topology_unknown:
      return fmt::format("Flavor \"{}\" information missing in TAS cache", reason.flavor);
    case Type::flavor_for_topology_only:
      return fmt::format("Flavor \"{}\" supports only TopologyAwareScheduling", reason.flavor);
    case Type::level_missing:
      return fmt::format("Flavor \"{}\" does not contain the requested level", reason.flavor);
    case Type::other_flavor_in_slice:
      return fmt::format("could not assign {} flavor since the original workload is assigned: {}",
                         reason.flavor, reason.name);
    case Type::flavor_not_nominated:
      return fmt::format(
          "skipping flavor {} as it is not found in the nomination mapping for resource {}",
          reason.flavor, reason.resource);
    default:
      return reason.detail;
  }
}

std::string place_text(const Reason& reason) {
  if (reason.amount == 0) {
    return fmt::format("couldn't place pod set {}: the nodes don't allow to fit any of {} pod(s){}",
                       reason.pod_set, reason.limit, reason.detail);
  }
  return fmt::format("couldn't place pod set {}: the nodes allow to fit only {} out of {} pod(s){}",
                     reason.pod_set, reason.amount, reason.limit, reason.detail);
}

// Of a workload that is not admitted for the sake of another.
std::string wait_text(const Reason& reason) {
  switch (reason.type) {
    case Type::lost_race:
      return "Workload no longer fits after processing another workload";
    case Type::overlapping_targets:
      return "Workload has overlapping preemption targets with another workload";
    case Type::deferred_fit:
      return "Workload has overlapping preemption targets with another workload, but will fit "
             "after these preemptions complete";
    case Type::pending_preemption:
      return fmt::format(". Pending the preemption of {} workload(s)", reason.amount);
    case Type::preemption_gated:
      return "Workload requires preemption, but it's gated";
    case Type::pods_not_ready:
      return "waiting for all admitted workloads to be in PodsReady condition";
    case Type::deactivated:
      return fmt::format("Failed to admit workload: workload {} could not be added to the cache",
                         reason.name);
    case Type::behind:
      return fmt::format("waiting behind {} workload(s) of ClusterQueue {}, the first of which {}",
                         reason.amount, reason.name, reason.detail);
    case Type::equal_waits:
      if (reason.name.empty()) return reason.detail;
      return fmt::format("a workload of ClusterQueue {} that asks for the same {}", reason.name,
                         reason.detail);
    case Type::resting:
      if (reason.detail.empty()) return "waiting to be requeued: its condition Requeued is False";
      return fmt::format("waiting for the time of its requeuing, {}", reason.detail);
    case Type::start_reserved:
      return fmt::format(". Starts at {} at the latest", reason.detail);
    case Type::kept_for_first:
      return fmt::format("starting now would delay the first workload of ClusterQueue {}",
                         reason.name);
    default:
      return reason.detail;
  }
}

}  // namespace

std::string Reason::to_string() const {
  switch (type) {
    case Type::queue_not_found:
      return fmt::format("LocalQueue {} doesn't exist", name);
    case Type::queue_stopped:
      return fmt::format("LocalQueue {} is inactive", name);
    case Type::cluster_queue_not_found:
      return fmt::format("ClusterQueue {} doesn't exist", name);
    case Type::cluster_queue_inactive:
      return fmt::format("ClusterQueue {} is inactive", name);
    case Type::namespace_not_found:
      return fmt::format("workload namespace \"{0}\" does not exist: namespaces \"{0}\" not found",
                         name);
    case Type::namespace_mismatch:
      return "workload namespace doesn't match ClusterQueue selector";
    case Type::checks_failed:
      return "The workload has failed admission checks";
    case Type::resource_unavailable:
      return fmt::format("resource {} unavailable in ClusterQueue", resource);
    case Type::flavor_not_found:
    case Type::untolerated_taint:
    case Type::node_affinity:
    case Type::flavor_without_topology:
    case Type::flavor_topology_unknown:
    case Type::flavor_for_topology_only:
    case Type::level_missing:
    case Type::other_flavor_in_slice:
    case Type::flavor_not_nominated:
      return flavor_text(*this);
    case Type::not_assignable:
      return fmt::format("failed to assign flavors to pod set {}: {}", pod_set, detail);
    case Type::exceeds_maximum:
    case Type::quota_in_use:
      return quota_text(*this);
    case Type::no_place:
      return place_text(*this);
    case Type::lost_race:
    case Type::overlapping_targets:
    case Type::deferred_fit:
    case Type::pending_preemption:
    case Type::preemption_gated:
    case Type::pods_not_ready:
    case Type::deactivated:
    case Type::behind:
    case Type::equal_waits:
    case Type::resting:
    case Type::start_reserved:
    case Type::kept_for_first:
      return wait_text(*this);
    case Type::quota_reserved:
      return fmt::format("Quota reserved in ClusterQueue {}", name);
    case Type::node_failed:
      if (!detail.empty()) return detail;
      return fmt::format(
          "Workload was evicted as there was no replacement for unhealthy node(s): {}", name);
    case Type::no_room:
    case Type::unstated_resources:
    case Type::no_topology:
    case Type::refused:
    case Type::unschedulable:
    case Type::invalid_requests:
    case Type::unsupported:
    case Type::invalid:
      return detail;
  }
  return detail;
}

std::string_view Because::reason() const {
  return leading(reasons).reason;
}

std::string_view Because::cause() const {
  return cause_word.empty() ? leading(reasons).cause : cause_word;
}

bool Because::is_gated() const {
  return reasons.size() == 1 && reasons.front().type == Type::preemption_gated;
}

std::string Because::message() const {
  std::vector<std::string> parts;
  std::string ending;
  for (std::size_t i = 0; i < reasons.size();) {
    if (reasons[i].type == Type::pending_preemption || reasons[i].type == Type::start_reserved) {
      ending += reasons[i++].to_string();
      continue;
    }
    if (!concerns_flavors(reasons[i].type)) {
      parts.push_back(reasons[i].to_string());
      ++i;
      continue;
    }
    // All obstacles of one pod set are one sentence, sorted as Kueue sorts them.
    const std::string& pod_set = reasons[i].pod_set;
    std::vector<std::string> obstacles;
    for (; i < reasons.size() && reasons[i].pod_set == pod_set; ++i) {
      obstacles.push_back(reasons[i].to_string());
    }
    std::ranges::sort(obstacles);
    parts.push_back(fmt::format("couldn't assign flavors to pod set {}: {}", pod_set,
                                fmt::join(obstacles, ", ")));
  }
  return fmt::format("{}{}", fmt::join(parts, "; "), ending);
}

namespace {

// The message without the amounts that change with every admission.
std::string lasting_part(std::string_view message) {
  constexpr std::string_view before_needed = " more needed";
  constexpr std::string_view fit_only = "fit only ";
  constexpr std::string_view used = ", used: ";
  constexpr std::string_view after_used = ", limited: ";
  std::string out;
  while (!message.empty()) {
    const std::size_t needed = message.find(before_needed);
    const std::size_t only = message.find(fit_only);
    const std::size_t total = message.find(". Total nodes: ");
    const std::size_t in_use = message.find(used);
    const std::size_t next = std::min({needed, only, total, in_use});
    if (next == std::string_view::npos || next == total) {
      return out.append(message.substr(0, next));
    }
    if (next == in_use) {
      out.append(message.substr(0, in_use));
      message.remove_prefix(std::min(message.size(), message.find(after_used, in_use)));
    } else if (next == needed) {
      const std::size_t word = message.rfind(' ', needed - 1);
      out.append(message.substr(0, word == std::string_view::npos ? 0 : word));
      message.remove_prefix(needed + before_needed.size());
    } else {
      out.append(message.substr(0, only));
      message.remove_prefix(std::min(message.size(), message.find(' ', only + fit_only.size())));
    }
  }
  return out;
}

}  // namespace

bool says_the_same(std::string_view message, std::string_view other) {
  return message == other || lasting_part(message) == lasting_part(other);
}

Value to_value(const Because& because) {
  objects::Builder builder;
  std::vector<objects::Node> reasons;
  for (const Reason& reason : because.reasons) {
    std::vector<objects::Node::Member> members;
    const auto add_text = [&](std::string_view key, std::string_view value) {
      if (!value.empty()) members.push_back({builder.text(key), builder.text(value)});
    };
    const auto add_amount = [&](std::string_view key, std::int64_t value) {
      if (value != 0) members.push_back({builder.text(key), objects::Builder::integer(value)});
    };
    add_text("type", words_of(reason.type).name);
    add_text("podSet", reason.pod_set);
    add_text("flavor", reason.flavor);
    add_text("resource", reason.resource);
    add_text("name", reason.name);
    add_amount("amount", reason.amount);
    add_amount("limit", reason.limit);
    add_amount("assumed", reason.assumed);
    add_text("detail", reason.detail);
    reasons.push_back(builder.object(members));
  }
  const objects::Node::Member members[] = {
      {builder.text("reason"), builder.text(because.reason())},
      {builder.text("cause"), builder.text(because.cause())},
      {builder.text("message"), builder.text(because.message())},
      {builder.text("reasons"), builder.array(reasons)}};
  const objects::Node root = builder.object(members);
  return std::move(builder).finish(root);
}

}  // namespace muster::core
