// SPDX-License-Identifier: Apache-2.0
#include "control/queue_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/timestamp.h"
#include "core/model/limits.h"
#include "core/plan/admission_status.h"
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

std::vector<Line> lines_of(View group, View flavor) {
  std::vector<Line> lines;
  for (const View covered : group["coveredResources"].elements()) {
    Line line{.resource = covered.string_or(""), .nominal = {}};
    for (const View resource : flavor["resources"].elements()) {
      if (resource["name"].string_or("") == line.resource) {
        line.nominal = amount_of(resource["nominalQuota"]);
      }
    }
    lines.push_back(std::move(line));
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
      for (const Line& line : lines_of(group, flavor)) {
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

Value without_member(const Value& queue, std::string_view member) {
  if (!queue["status"][member]) return queue;
  return objects::without(queue, {"status", member}).value_or(queue);
}

// As Go leaves empty lists out.
Value with_list(const Value& queue, std::string_view member, const Value& list) {
  return View(list).empty() ? without_member(queue, member) : with_member(queue, member, list);
}

Value with_usage(const Value& queue, const QueueNumbers& numbers, View cluster_queue,
                 bool is_local) {
  const Value next = with_list(queue, "flavorsReservation",
                               usage_value(cluster_queue, numbers.reserved, is_local));
  return with_list(next, "flavorsUsage", usage_value(cluster_queue, numbers.used, is_local));
}

Value with_numbers(Value queue, const QueueNumbers& numbers) {
  queue = with_member(queue, "pendingWorkloads", Value::integer(numbers.pending));
  queue = with_member(queue, "reservingWorkloads", Value::integer(numbers.reserving));
  return with_member(queue, "admittedWorkloads", Value::integer(numbers.admitted));
}

Value with_share(const Value& object, std::optional<std::int64_t> weighted_share) {
  if (!weighted_share) return without_member(object, "fairSharing");
  return with_member(object, "fairSharing",
                     Value::object({{"weightedShare", Value::integer(*weighted_share)}}));
}

Value with_consumed(const Value& queue, const core::ConsumedResources& consumed) {
  Builder builder;
  std::vector<Node::Member> members;
  for (const auto& [name, amount] : consumed.amounts) {
    members.push_back({builder.text(name), builder.text(amount.to_string())});
  }
  const Node::Member status[] = {{Builder::literal("consumedResources"), builder.object(members)},
                                 {Builder::literal("lastUpdate"),
                                  builder.text(format_time(Timestamp::of(consumed.sampled_at)))}};
  const Node::Member sharing[] = {
      {Builder::literal("admissionFairSharingStatus"), builder.object(status)},
      {Builder::literal("weightedShare"), builder.integer(0)}};
  const Node root = builder.object(sharing);
  return with_member(queue, "fairSharing", std::move(builder).finish(root));
}

Value with_activity(const Value& queue, const Activity& activity, Instant now) {
  return objects::with_condition(
      queue,
      {.type = "Active",
       .status = activity.active ? "True" : "False",
       .reason = activity.reason,
       .message = core::cut_message(activity.message, core::condition_message_bytes_max),
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

std::vector<std::string_view> checks_of(View cluster_queue) {
  std::vector<std::string_view> names;
  const View strategy = cluster_queue["spec"]["admissionChecksStrategy"];
  for (const View check : strategy["admissionChecks"].elements()) {
    names.push_back(check["name"].string_or(""));
  }
  return names;
}

bool is_stopped(View queue) {
  return queue["spec"]["stopPolicy"].string_or("None") != "None";
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

Value with_cluster_queue_status(const Value& cluster_queue, const ClusterQueueReport& report,
                                Instant now) {
  Value next = with_activity(cluster_queue, report.activity, now);
  next = with_usage(next, report.numbers, cluster_queue, false);
  next = with_share(next, report.weighted_share);
  return with_numbers(std::move(next), report.numbers);
}

Value with_local_queue_status(const Value& local_queue, const LocalQueueReport& report,
                              Instant now) {
  Value next = with_activity(local_queue, report.activity, now);
  QueueNumbers numbers = report.numbers;
  if (is_stopped(local_queue)) numbers.pending = 0;
  if (!report.cluster_queue) {
    QueueNumbers unknown;
    unknown.pending = numbers.pending;
    numbers = std::move(unknown);
  }
  next = with_usage(next, numbers, report.cluster_queue, true);
  if (report.consumed) next = with_consumed(next, *report.consumed);
  return with_numbers(std::move(next), numbers);
}

Value with_cohort_status(const Value& cohort, std::optional<std::int64_t> weighted_share) {
  return with_share(cohort, weighted_share);
}

}  // namespace muster::control
