// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/checked.h"
#include "cli/plan/document_object.h"
#include "core/admission/fair_share.h"
#include "core/model/queue_activity.h"

namespace muster::cli {

using core::QuotaNodeId;
using core::Tables;
using objects::Builder;
using objects::Node;

namespace {

// ClusterQueues that take part, then cohorts, each by name.
std::vector<std::pair<std::string, QuotaNodeId>> tree_nodes(const Tables& tables) {
  std::vector<std::pair<std::string, QuotaNodeId>> queues;
  tables.cluster_queues.for_each([&](core::ClusterQueueId id, const core::ClusterQueueRow& row) {
    if (!row.present || row.node.is_none() || !activity_of(tables, id).is_active()) return;
    queues.emplace_back("ClusterQueue/" + tables.cluster_queues.key(id), row.node);
  });
  std::vector<std::pair<std::string, QuotaNodeId>> cohorts;
  tables.cohorts.for_each([&](core::CohortId id, const core::CohortRow& row) {
    if (row.node.is_none() || tables.quota.has_cycle(row.node)) return;
    cohorts.emplace_back("Cohort/" + tables.cohorts.key(id), row.node);
  });
  std::ranges::sort(queues);
  std::ranges::sort(cohorts);
  queues.insert(queues.end(), cohorts.begin(), cohorts.end());
  return queues;
}

std::string figure(std::string_view resource, std::int64_t amount) {
  return amount == unlimited ? "Unlimited" : core::amount_text(resource, amount);
}

std::vector<Node> texts(Builder& builder, std::vector<std::string> all) {
  std::ranges::sort(all);
  std::vector<Node> nodes;
  for (const std::string& each : all) nodes.push_back(builder.text(each));
  return nodes;
}

// As Go prints a float without an exponent: the fewest digits that read back the same.
std::string weight_text(double weight) {
  std::string text = fmt::format("{}", weight);
  if (text.find('e') != std::string::npos) text = fmt::format("{:f}", weight);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::string workload_key(const Tables& tables, core::WorkloadId id) {
  const std::string& key = tables.workloads.key(id);
  return key.find('/') == std::string::npos ? "/" + key : key;
}

std::map<std::string, WaitingWorkloads> waiting_workloads(const Tables& tables) {
  std::map<std::string, WaitingWorkloads> waiting;
  tables.cluster_queues.for_each([&](core::ClusterQueueId id, const core::ClusterQueueRow&) {
    WaitingWorkloads here;
    tables.pending.for_each(id, [&](core::WorkloadId workload, bool is_active) {
      (is_active ? here.active : here.inadmissible).push_back(workload_key(tables, workload));
    });
    if (here.active.empty() && here.inadmissible.empty()) return;
    waiting.emplace(tables.cluster_queues.key(id), std::move(here));
  });
  return waiting;
}

std::vector<Node> queue_figures(Builder& builder, const Tables& tables) {
  std::vector<Node> rows;
  for (const auto& [queue, waiting] : waiting_workloads(tables)) {
    DocumentObject row(builder);
    row.text("clusterQueue", queue)
        .list("active", texts(builder, waiting.active))
        .list("inadmissible", texts(builder, waiting.inadmissible));
    rows.push_back(row.node());
  }
  return rows;
}

std::vector<Node> quota_figures(Builder& builder, const Tables& tables) {
  std::vector<Node> rows;
  const core::QuotaForest& quota = tables.quota;
  for (const auto& [name, node] : tree_nodes(tables)) {
    std::vector<std::tuple<std::string, std::string, core::FlavorResourceId>> pairs;
    for (std::size_t i = 0; i < quota.cell_count(node); ++i) {
      const auto cell = quota.cell(node, i);
      if (!cell.is_in_subtree && !cell.has_usage) continue;
      const core::FlavorResourceId pair = cell.flavor_resource;
      pairs.emplace_back(tables.flavors.key(tables.flavor_resources.flavor(pair)),
                         tables.names.name(tables.flavor_resources.resource(pair)), pair);
    }
    std::ranges::sort(pairs, {}, [](const auto& each) {
      return std::pair<std::string_view, std::string_view>(std::get<0>(each), std::get<1>(each));
    });
    for (const auto& [flavor, resource, pair] : pairs) {
      DocumentObject row(builder);
      row.text("node", name)
          .text("flavor", flavor)
          .text("resource", resource)
          .text("nominal", figure(resource, quota.nominal(node, pair)))
          .text("subtree", figure(resource, quota.subtree(node, pair)))
          .text("usage", figure(resource, quota.usage(node, pair)))
          .text("available", figure(resource, quota.available(node, pair)))
          .text("potential", figure(resource, quota.potential(node, pair)));
      rows.push_back(row.node());
    }
  }
  return rows;
}

std::vector<Node> share_figures(Builder& builder, const Tables& tables) {
  std::vector<Node> rows;
  for (const auto& [name, node] : tree_nodes(tables)) {
    const core::FairShare share = core::fair_share(tables, node);
    const auto whole = [](double value) { return static_cast<std::int64_t>(std::ceil(value)); };
    DocumentObject row(builder);
    row.text("node", name)
        .text("dominantResource", share.dominant.is_none() ? "" : tables.names.name(share.dominant))
        .integer("share", whole(share.unweighted));
    if (share.is_infinite()) {
      row.text("weightedShare", "Inf");
    } else {
      row.integer("weightedShare", share.rounded_weighted());
    }
    row.text("weight", weight_text(tables.quota.fair_weight(node)));
    rows.push_back(row.node());
  }
  return rows;
}

}  // namespace muster::cli
