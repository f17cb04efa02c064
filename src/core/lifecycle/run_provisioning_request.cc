// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/run_provisioning_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/checked.h"
#include "core/model/pod_requests.h"
#include "core/model/read_node.h"
#include "core/model/scheduling_terms.h"
#include "core/queueing/provision.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::condition;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view check_capacity = "check-capacity.autoscaling.x-k8s.io";
constexpr std::string_view consume_annotation = "autoscaling.x-k8s.io/consume-provisioning-request";
constexpr Span booking_span = Span::of_seconds(600);
constexpr std::int64_t pods_counted_max = 100'000;

struct FreeNode {
  std::string name;
  Node node;
  Amounts free;
};

bool has_ended(View pod) {
  const std::string_view phase = pod["status"]["phase"].string_or("");
  return phase == "Succeeded" || phase == "Failed";
}

std::vector<FreeNode> free_nodes(const ObservedRequest& given, ResourceNames& names) {
  std::vector<FreeNode> all;
  for (const Value& object : given.nodes) {
    auto node = read_node(object, names);
    if (!node || !node->is_ready || node->is_unschedulable) continue;
    all.push_back({std::string(objects::name_of(object)), *node, node->allocatable});
  }
  for (const Value& pod : given.pods) {
    if (has_ended(pod)) continue;
    const std::string_view name = pod["spec"]["nodeName"].string_or("");
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const FreeNode& node) { return node.name == name; });
    const auto requests = pod_requests(pod["spec"], names);
    if (at == all.end() || !requests) continue;
    for (const Amount& each : *requests) {
      add_amount(at->free, each.resource, saturating_subtract(0, each.amount), names);
    }
    add_amount(at->free, names.pods(), -1, names);
  }
  return all;
}

bool takes(const FreeNode& node, const SchedulingTerms& terms, const Amounts& requests) {
  if (!terms.selector_matches(node.node.labels)) return false;
  if (!terms.affinity_matches(node.node.labels, node.name)) return false;
  if (first_untolerated(node.node.taints, {terms.tolerations}) != nullptr) return false;
  return std::all_of(requests.begin(), requests.end(), [&](const Amount& each) {
    return each.amount <= 0 || amount_of(node.free, each.resource) >= each.amount;
  });
}

bool place_set(std::vector<FreeNode>& nodes, View pod_spec, std::int64_t count,
               ResourceNames& names) {
  auto requests = pod_requests(pod_spec, names);
  const auto terms = read_scheduling_terms(pod_spec);
  if (!requests || !terms || count > pods_counted_max) return false;
  add_amount(*requests, names.pods(), 1, names);
  std::size_t at = 0;
  for (std::int64_t placed = 0; placed < count; ++placed) {
    while (at < nodes.size() && !takes(nodes[at], *terms, *requests)) ++at;
    if (at == nodes.size()) return false;
    for (const Amount& each : *requests) {
      add_amount(nodes[at].free, each.resource, saturating_subtract(0, each.amount), names);
    }
  }
  return true;
}

// Absent where the PodTemplate is not there.
View template_spec(const ObservedRequest& given, View request, View set) {
  const std::string_view name = set["podTemplateRef"]["name"].string_or("");
  const auto found =
      std::find_if(given.templates.begin(), given.templates.end(), [&](const Value& each) {
        return objects::name_of(each) == name &&
               objects::namespace_of(each) == objects::namespace_of(request);
      });
  return found == given.templates.end() ? View() : (*found)["template"]["spec"];
}

// Pods with a node that stand in the place of what the request was given.
std::int64_t consumers_of(const ObservedRequest& given, View request) {
  return std::count_if(given.pods.begin(), given.pods.end(), [&](const Value& pod) {
    return objects::annotations_of(pod)[consume_annotation].string_or("") ==
               objects::name_of(request) &&
           objects::namespace_of(pod) == objects::namespace_of(request) &&
           !pod["spec"]["nodeName"].string_or("").empty();
  });
}

void take_bookings(const ObservedRequest& given, std::vector<FreeNode>& nodes,
                   ResourceNames& names) {
  for (const Value& other : given.others) {
    if (objects::uid_of(other) == objects::uid_of(given.request) || !is_booked(other)) continue;
    std::int64_t there = consumers_of(given, other);
    for (View set : other["spec"]["podSets"].elements()) {
      const std::int64_t count = set["count"].integer_or(0);
      const std::int64_t rest = std::max<std::int64_t>(count - there, 0);
      there = std::max<std::int64_t>(there - count, 0);
      const View spec = template_spec(given, other, set);
      if (spec) place_set(nodes, spec, rest, names);
    }
  }
}

bool has_room(const ObservedRequest& given) {
  ResourceNames names;
  std::vector<FreeNode> nodes = free_nodes(given, names);
  take_bookings(given, nodes, names);
  for (View set : given.request["spec"]["podSets"].elements()) {
    const View spec = template_spec(given, given.request, set);
    if (!spec) return false;
    if (!place_set(nodes, spec, set["count"].integer_or(0), names)) return false;
  }
  return true;
}

struct Saying {
  std::string_view type;
  bool holds = true;
  std::string_view reason;
  std::string message;
};

Value saying(const Value& request, const Saying& what, Instant now) {
  return objects::with_condition(request,
                                 {.type = std::string(what.type),
                                  .status = what.holds ? "True" : "False",
                                  .reason = std::string(what.reason),
                                  .message = what.message,
                                  .observed_generation = objects::generation_of(request)},
                                 now);
}

RequestStep writing(const Value& before, const Value& after) {
  if (before.view() == after.view()) return {};
  return {.edits = {Edit::update_status(provisioning_requests, after)}};
}

RequestStep refuse_class(const ObservedRequest& given) {
  const std::string message =
      fmt::format("no provider here serves the class {}; {} is served",
                  given.request["spec"]["provisioningClassName"].string_or(""), check_capacity);
  return writing(
      given.request,
      saying(given.request, {"Accepted", false, "ProvisioningClassNotServed", message}, given.now));
}

RequestStep keep_booking(const ObservedRequest& given) {
  const View provisioned = condition(given.request, "Provisioned");
  const Instant since = objects::instant_of(provisioned["lastTransitionTime"]).value_or(given.now);
  const Instant end = since + booking_span;
  if (given.now < end) return {.look_again = end};
  return writing(given.request, saying(given.request,
                                       {"BookingExpired", true, "CapacityReservationTimeExpired",
                                        "Capacity reservation time has expired"},
                                       given.now));
}

}  // namespace

bool is_booked(View request) {
  for (const std::string_view end : {"Failed", "BookingExpired", "CapacityRevoked"}) {
    if (objects::is_true(condition(request, end))) return false;
  }
  return !objects::is_being_deleted(request) &&
         objects::is_true(condition(request, "Provisioned")) &&
         request["spec"]["provisioningClassName"].string_or("") == check_capacity;
}

RequestStep run_provisioning_request(const ObservedRequest& given) {
  const Value& request = given.request;
  if (objects::is_being_deleted(request)) return {};
  for (const std::string_view end : {"Failed", "BookingExpired", "CapacityRevoked"}) {
    if (objects::is_true(condition(request, end))) return {};
  }
  if (request["spec"]["provisioningClassName"].string_or("") != check_capacity) {
    return refuse_class(given);
  }
  if (objects::is_true(condition(request, "Provisioned"))) return keep_booking(given);
  const Value accepted =
      saying(request, {"Accepted", true, "Accepted", "ProvisioningRequest is accepted"}, given.now);
  if (has_room(given)) {
    return writing(request, saying(accepted,
                                   {"Provisioned", true, "CapacityIsFound",
                                    "Capacity is found in the cluster"},
                                   given.now));
  }
  if (request["spec"]["parameters"]["noRetry"].string_or("") == "true") {
    return writing(request, saying(accepted,
                                   {"Failed", true, "CapacityIsNotFound",
                                    "CA could not find requested capacity"},
                                   given.now));
  }
  return writing(request, saying(accepted,
                                 {"Provisioned", false, "CapacityIsNotFound",
                                  "Capacity is not found, CA will try to find it later"},
                                 given.now));
}

}  // namespace muster::core
