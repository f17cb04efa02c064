// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_decisions.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/plan/document_object.h"
#include "cli/plan/plan_explanation.h"
#include "cli/plan/plan_figures.h"
#include "core/model/tables.h"
#include "core/plan/admission_value.h"
#include "objects/convert_kueue_topology.h"
#include "objects/metadata.h"

namespace muster::cli {

using core::Decision;
using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

namespace resources = objects::resources;

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

std::vector<Node> pod_sets_of(Builder& builder, View admission) {
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

std::vector<Node> victims_of(Builder& builder, const core::Tables& tables,
                             const Decision& decision) {
  std::vector<core::Target> targets = decision.targets;
  std::ranges::sort(targets, {}, [&](const core::Target& target) -> const std::string& {
    return tables.workloads.key(target.workload);
  });
  std::vector<Node> victims;
  for (const core::Target& target : targets) {
    DocumentObject victim(builder);
    victim.text("workload", tables.workloads.key(target.workload))
        .text("reason", core::reason_name(target.reason));
    victims.push_back(victim.node());
  }
  return victims;
}

std::string_view action_word(Decision::Type type) {
  switch (type) {
    case Decision::Type::wait:
      return "Wait";
    case Decision::Type::admit:
      return "Admit";
    case Decision::Type::preempt:
      return "Preempt";
    case Decision::Type::evict:
      return "Evict";
  }
  return "";
}

// A second pass that fails writes nothing; its word is the finer one.
std::string_view reason_word(const core::Tables& tables, const Decision& decision,
                             const core::Because& because) {
  if (because.empty() && because.cause_word.empty()) return "";
  const bool is_finer =
      tables.configuration.gates.enabled(core::Gate::unadmitted_workloads_observability) ||
      (decision.is_second_pass && decision.type == Decision::Type::wait);
  return is_finer ? because.cause() : because.reason();
}

Node decision_node(Builder& builder, const PlanWorld& world, const Decision& decision,
                   const core::Explanation* explanation) {
  const core::Tables& tables = world.state().tables();
  const core::Because because = core::because_of(tables, decision);
  DocumentObject node(builder);
  node.text("workload", workload_key(tables.workloads[decision.workload].object))
      .text("clusterQueue", tables.cluster_queues.key(decision.queue))
      .text("action", action_word(decision.type));
  if (decision.type == Decision::Type::admit) node.boolean("admitted", decision.is_admitted);
  if (decision.type == Decision::Type::admit || decision.type == Decision::Type::preempt) {
    const Value admission = core::admission_value(tables, decision);
    node.list("podSets", pod_sets_of(builder, admission));
    node.integer("borrowing", decision.assignment->borrow);
  }
  if (decision.type == Decision::Type::preempt) {
    node.list("victims", victims_of(builder, tables, decision));
  }
  if (decision.type == Decision::Type::wait || decision.type == Decision::Type::preempt) {
    const bool is_parked =
        tables.pending.place_of(decision.workload) == core::PendingPlace::inadmissible;
    node.text("requeue", is_parked ? "Inadmissible" : "Active");
  }
  node.text("reason", reason_word(tables, decision, because)).text("message", because.message());
  if (explanation != nullptr) {
    const auto tried = explanation->tries.find(decision.workload);
    const bool is_there = tried != explanation->tries.end();
    node.add("explain",
             explanation_node(builder, tables, is_there ? tried->second : core::Tries()));
  }
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

std::vector<Node> decision_nodes(Builder& builder, const PlanWorld& world, const core::Plan& plan,
                                 const core::Explanation* explanation) {
  std::vector<Node> nodes;
  for (const Decision& decision : plan.decisions) {
    // Kueue stays in a cycle that waits for ready pods, and says nothing of it but for whom.
    if (plan.is_blocked && &decision != &plan.decisions.back()) continue;
    nodes.push_back(decision_node(builder, world, decision, explanation));
  }
  return nodes;
}

std::map<std::string, std::string> preemptors_of(const PlanWorld& world, const core::Plan& plan) {
  const core::Tables& tables = world.state().tables();
  std::map<std::string, std::string> preemptors;
  for (const Decision& decision : plan.decisions) {
    if (decision.type != Decision::Type::preempt) continue;
    for (const core::Target& target : decision.targets) {
      preemptors.insert_or_assign(workload_key(tables, target.workload),
                                  workload_key(tables, decision.workload));
    }
  }
  return preemptors;
}

std::vector<Node> orphan_nodes(Builder& builder, const PlanWorld& world) {
  const core::Tables& tables = world.state().tables();
  std::vector<Node> nodes;
  for (const auto& [key, object] : world.workloads()) {
    const core::WorkloadId id = tables.workloads.find(objects::key_of(object).to_string());
    if (id.is_none()) continue;
    const core::WorkloadRow& row = tables.workloads[id];
    if (!row.spec.extras->unsupported.empty() && !row.spec.holds_quota() && !row.spec.is_finished) {
      nodes.push_back(misconfigured(builder, key, "", row.spec.extras->unsupported));
      continue;
    }
    if (!row.invalid.empty()) {
      nodes.push_back(misconfigured(builder, key, "", row.invalid.view()));
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
