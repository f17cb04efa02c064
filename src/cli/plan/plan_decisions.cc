// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_decisions.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/plan/document_object.h"
#include "cli/plan/plan_figures.h"
#include "core/model/tables.h"
#include "objects/convert_kueue_topology.h"
#include "objects/metadata.h"

namespace muster::cli {

using core::Action;
using core::Reason;
using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

namespace resources = objects::resources;

// Told once, and never looked at by a cycle.
bool is_stranded(const core::Because& because) {
  if (because.empty()) return false;
  switch (because.reasons.front().type) {
    case Reason::Type::queue_not_found:
    case Reason::Type::queue_stopped:
    case Reason::Type::cluster_queue_not_found:
    case Reason::Type::cluster_queue_inactive:
    case Reason::Type::invalid:
      return true;
    default:
      return false;
  }
}

// The plain list of domains, in the order of their values.
Node topology_node(Builder& builder, View assignment) {
  Builder scratch;
  const auto unpacked = objects::unpack_topology_assignment(scratch, assignment);
  std::vector<View> domains;
  if (unpacked) {
    for (const View domain : View(&*unpacked)["domains"].elements()) domains.push_back(domain);
  }
  const auto values_of = [](View domain) {
    std::vector<std::string_view> values;
    for (const View value : domain["values"].elements()) values.push_back(value.string_or(""));
    return values;
  };
  std::ranges::stable_sort(domains, {}, values_of);
  std::vector<Node> nodes;
  for (const View domain : domains) {
    DocumentObject node(builder);
    node.add("values", builder.copy(domain["values"]))
        .integer("count", domain["count"].integer_or(0));
    nodes.push_back(node.node());
  }
  DocumentObject topology(builder);
  topology.add("levels", builder.copy(assignment["levels"])).list("domains", nodes);
  return topology.node();
}

std::vector<Node> admitted_pod_sets(Builder& builder, View admission) {
  std::vector<Node> sets;
  for (const View view : admission["podSetAssignments"].elements()) {
    DocumentObject set(builder);
    set.text("name", view["name"].string_or("main"));
    if (view["count"].is_integer()) set.integer("count", view["count"].integer_or(0));
    set.add("flavors", view["flavors"] ? builder.copy(view["flavors"]) : builder.object({}));
    set.add("resourceUsage",
            view["resourceUsage"] ? builder.copy(view["resourceUsage"]) : builder.object({}));
    if (view["topologyAssignment"].is_object()) {
      set.add("topologyAssignment", topology_node(builder, view["topologyAssignment"]));
    }
    set.text_if_any("delayedTopologyRequest", view["delayedTopologyRequest"].string_or(""));
    sets.push_back(set.node());
  }
  return sets;
}

std::string_view place_word(const core::Tables& tables, const std::string& key) {
  const core::WorkloadId id = tables.workloads.find(key);
  const bool is_parked =
      !id.is_none() && tables.pending.place_of(id) == core::PendingPlace::inadmissible;
  return is_parked ? "Inadmissible" : "Active";
}

Node decision_node(Builder& builder, const PlanWorld& world, const Action& action) {
  const core::Tables& tables = world.state().tables();
  const std::string key = action.key.to_string();
  const core::WorkloadId id = tables.workloads.find(key);
  DocumentObject node(builder);
  node.text("workload", fmt::format("{}/{}", action.key.name_space, action.key.name));
  if (action.type == Action::Type::admit) {
    const View admission = action.status["admission"];
    const Value object = Value::object({{"status", action.status}});
    const View reserved = objects::condition(object, "QuotaReserved");
    node.text("clusterQueue", admission["clusterQueue"].string_or(""))
        .text("action", "Admit")
        .boolean("admitted", objects::is_true(objects::condition(object, "Admitted")))
        .list("podSets", admitted_pod_sets(builder, admission))
        .integer("borrowing", 0)
        .text("reason", reserved["reason"].string_or(""))
        .text("message", reserved["message"].string_or(""));
    return node.node();
  }
  const core::WorkloadRow& row = tables.workloads[id];
  const bool has_queue = !row.local_queue.is_none();
  const core::ClusterQueueId queue =
      has_queue ? tables.local_queues[row.local_queue].cluster_queue : core::ClusterQueueId::none();
  node.text("clusterQueue", queue.is_none() ? "" : tables.cluster_queues.key(queue));
  if (action.type == Action::Type::evict) {
    node.text("action", "Evict");
  } else {
    node.text("action", "Wait").text("requeue", place_word(tables, key));
  }
  node.text("reason", action.because.reason()).text("message", action.because.message());
  return node.node();
}

Node misconfigured(Builder& builder, const std::string& workload, std::string_view queue,
                   std::string_view message) {
  DocumentObject node(builder);
  node.text("workload", workload)
      .text("clusterQueue", queue)
      .text("action", "Wait")
      .text("requeue", "Inadmissible")
      .text("reason", "Misconfigured")
      .text("message", message);
  return node.node();
}

}  // namespace

std::vector<Node> decision_nodes(Builder& builder, const PlanWorld& world, const core::Plan& plan) {
  std::vector<Node> nodes;
  for (const Action& action : plan.actions) {
    if (action.type == Action::Type::bind || action.type == Action::Type::unbindable) continue;
    if (action.type == Action::Type::wait && is_stranded(action.because)) continue;
    nodes.push_back(decision_node(builder, world, action));
  }
  return nodes;
}

std::vector<Node> orphan_nodes(Builder& builder, const PlanWorld& world) {
  const core::Tables& tables = world.state().tables();
  std::vector<Node> nodes;
  for (const auto& [key, object] : world.workloads()) {
    const core::WorkloadId id = tables.workloads.find(objects::key_of(object).to_string());
    if (id.is_none()) continue;
    const core::WorkloadRow& row = tables.workloads[id];
    if (!row.spec.unsupported.empty() && !row.spec.holds_quota() && !row.spec.is_finished) {
      nodes.push_back(misconfigured(builder, key, "", row.spec.unsupported));
      continue;
    }
    if (!row.invalid.empty()) {
      nodes.push_back(misconfigured(builder, key, "", row.invalid));
      continue;
    }
    if (!row.spec.is_pending()) continue;
    const objects::ObjectKey queue_key{std::string(objects::namespace_of(object)),
                                       row.spec.queue_name};
    const View local_queue = world.find(resources::local_queues, queue_key);
    if (!local_queue) {
      nodes.push_back(misconfigured(
          builder, key, "", fmt::format("LocalQueue {} doesn't exist", row.spec.queue_name)));
      continue;
    }
    const std::string cluster_queue(local_queue["spec"]["clusterQueue"].string_or(""));
    if (world.find(resources::cluster_queues, {"", cluster_queue})) continue;
    nodes.push_back(misconfigured(builder, key, cluster_queue,
                                  fmt::format("ClusterQueue {} doesn't exist", cluster_queue)));
  }
  return nodes;
}

}  // namespace muster::cli
