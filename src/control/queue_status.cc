// SPDX-License-Identifier: Apache-2.0
#include "control/queue_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "objects/builder.h"
#include "objects/edit.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view cannot_submit = "Can't submit new workloads to clusterQueue";

bool is_stopped(View queue) {
  return queue["spec"]["stopPolicy"].string_or("None") != "None";
}

std::string joined(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, ","));
}

std::vector<std::string_view> checks_of(View cluster_queue) {
  std::vector<std::string_view> names;
  const View strategy = cluster_queue["spec"]["admissionChecksStrategy"];
  for (const View check : strategy["admissionChecks"].elements()) {
    names.push_back(check["name"].string_or(""));
  }
  return names;
}

template <class Set>
std::vector<std::string_view> missing_from(const Set& set, std::vector<std::string_view> names) {
  std::erase_if(names, [&](std::string_view name) { return set.contains(name); });
  return names;
}

// As Kueue formats amounts: milli for cpu, binary for memory and storage.
std::string amount_text(std::string_view resource, const Quantity& amount) {
  if (resource == "cpu") {
    return Quantity::of_milli(amount.saturated_value(QuantityScale::milli)).to_string();
  }
  const bool is_binary =
      resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
  return Quantity::of(amount.saturated_value(QuantityScale::unit),
                      is_binary ? QuantityFormat::binary_si : QuantityFormat::decimal_si)
      .to_string();
}

// One resource of one flavor, with its nominal quota.
struct Line {
  std::string_view resource;
  Quantity nominal;
};

std::vector<Line> lines_of(View flavor) {
  std::vector<Line> lines;
  for (const View resource : flavor["resources"].elements()) {
    lines.push_back({.resource = resource["name"].string_or(""),
                     .nominal = amount_of(resource["nominalQuota"])});
  }
  std::sort(lines.begin(), lines.end(),
            [](const Line& a, const Line& b) { return a.resource < b.resource; });
  return lines;
}

// flavorsUsage or flavorsReservation. `borrowed` stands only in a ClusterQueue.
Value usage_value(View cluster_queue, const Usage& usage, bool is_local) {
  Builder builder;
  std::vector<Node> flavors;
  const bool has_cohort = !cluster_queue["spec"]["cohortName"].string_or("").empty();
  for (const View group : cluster_queue["spec"]["resourceGroups"].elements()) {
    for (const View flavor : group["flavors"].elements()) {
      const std::string_view name = flavor["name"].string_or("");
      std::vector<Node> resources;
      for (const Line& line : lines_of(flavor)) {
        const auto found = usage.find({std::string(name), std::string(line.resource)});
        const Quantity used = found == usage.end() ? Quantity() : found->second;
        Quantity borrowed;
        if (has_cohort && used > line.nominal) borrowed = used - line.nominal;
        std::vector<Node::Member> members;
        if (!is_local) {
          members.push_back(
              {Builder::literal("borrowed"), builder.text(amount_text(line.resource, borrowed))});
        }
        members.push_back({Builder::literal("name"), builder.text(line.resource)});
        members.push_back(
            {Builder::literal("total"), builder.text(amount_text(line.resource, used))});
        resources.push_back(builder.object(members));
      }
      const Node::Member members[] = {{Builder::literal("name"), builder.text(name)},
                                      {Builder::literal("resources"), builder.array(resources)}};
      flavors.push_back(builder.object(members));
    }
  }
  const Node root = builder.array(flavors);
  return std::move(builder).finish(root);
}

// A status that is no object is repaired by writing over it; the schema does not let one in.
Value with_member(const Value& queue, std::string_view member, const Value& value) {
  return objects::with(queue, {"status", member}, value).value_or(queue);
}

Value with_numbers(Value queue, const QueueNumbers& numbers) {
  queue = with_member(queue, "pendingWorkloads", Value::integer(numbers.pending));
  queue = with_member(queue, "reservingWorkloads", Value::integer(numbers.reserving));
  return with_member(queue, "admittedWorkloads", Value::integer(numbers.admitted));
}

Value with_activity(const Value& queue, const Activity& activity, Instant now) {
  return objects::with_condition(queue,
                                 {.type = "Active",
                                  .status = activity.active ? "True" : "False",
                                  .reason = activity.reason,
                                  .message = activity.message,
                                  .observed_generation = objects::generation_of(queue)},
                                 now);
}

}  // namespace

std::vector<std::string_view> flavors_of(View cluster_queue) {
  std::vector<std::string_view> names;
  for (const View group : cluster_queue["spec"]["resourceGroups"].elements()) {
    for (const View flavor : group["flavors"].elements()) {
      names.push_back(flavor["name"].string_or(""));
    }
  }
  return names;
}

Activity activity_of(View cluster_queue, const Surroundings& around) {
  if (objects::is_being_deleted(cluster_queue)) {
    return {.active = false,
            .reason = "Terminating",
            .message = "Can't admit new workloads; clusterQueue is terminating"};
  }
  std::vector<std::pair<std::string_view, std::string>> problems;
  if (is_stopped(cluster_queue)) problems.emplace_back("Stopped", "is stopped");
  const auto flavors = missing_from(around.flavors, flavors_of(cluster_queue));
  if (!flavors.empty()) {
    problems.emplace_back("FlavorNotFound",
                          "references missing ResourceFlavor(s): " + joined(flavors));
  }
  const auto checks = missing_from(around.checks, checks_of(cluster_queue));
  if (!checks.empty()) {
    problems.emplace_back("AdmissionCheckNotFound",
                          "references missing AdmissionCheck(s): " + joined(checks));
  }
  auto inactive = missing_from(around.active_checks, checks_of(cluster_queue));
  std::erase_if(inactive, [&](std::string_view name) { return !around.checks.contains(name); });
  if (!inactive.empty()) {
    problems.emplace_back("AdmissionCheckInactive",
                          "references inactive AdmissionCheck(s): " + joined(inactive));
  }
  if (problems.empty()) {
    return {.active = true, .reason = "Ready", .message = "Can admit new workloads"};
  }
  std::vector<std::string_view> messages;
  messages.reserve(problems.size());
  for (const auto& [reason, message] : problems) messages.push_back(message);
  return {.active = false,
          .reason = std::string(problems.front().first),
          .message = fmt::format("Can't admit new workloads: {}.", fmt::join(messages, ", "))};
}

Activity activity_of(View local_queue, const Activity* cluster_queue) {
  if (is_stopped(local_queue)) {
    return {.active = false, .reason = "Stopped", .message = "LocalQueue is stopped"};
  }
  if (cluster_queue == nullptr) {
    return {.active = false,
            .reason = "ClusterQueueDoesNotExist",
            .message = std::string(cannot_submit)};
  }
  if (!cluster_queue->active) {
    return {
        .active = false, .reason = "ClusterQueueIsInactive", .message = std::string(cannot_submit)};
  }
  return {.active = true, .reason = "Ready", .message = "Can submit new workloads to localQueue"};
}

Value with_cluster_queue_status(const Value& cluster_queue, const Activity& activity,
                                const QueueNumbers& numbers, Instant now) {
  Value next = with_activity(cluster_queue, activity, now);
  next =
      with_member(next, "flavorsReservation", usage_value(cluster_queue, numbers.reserved, false));
  next = with_member(next, "flavorsUsage", usage_value(cluster_queue, numbers.used, false));
  return with_numbers(std::move(next), numbers);
}

Value with_local_queue_status(const Value& local_queue, const Activity& activity,
                              const QueueNumbers& numbers, View cluster_queue, Instant now) {
  Value next = with_activity(local_queue, activity, now);
  if (!cluster_queue) {
    QueueNumbers unknown;
    unknown.pending = numbers.pending;
    return with_numbers(std::move(next), unknown);
  }
  next =
      with_member(next, "flavorsReservation", usage_value(cluster_queue, numbers.reserved, true));
  next = with_member(next, "flavorsUsage", usage_value(cluster_queue, numbers.used, true));
  return with_numbers(std::move(next), numbers);
}

}  // namespace muster::control
