// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_figures.h"

#include <algorithm>

#include "cli/plan/document_object.h"
#include "core/model/quota_report.h"

namespace muster::cli {

using core::Tables;
using objects::Builder;
using objects::Node;

namespace {

std::vector<Node> texts(Builder& builder, std::vector<std::string> all) {
  std::ranges::sort(all);
  std::vector<Node> nodes;
  nodes.reserve(all.size());
  for (const std::string& each : all) nodes.push_back(builder.text(each));
  return nodes;
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
  for (const core::QuotaRow& row : quota_rows(tables)) {
    const auto text = [&](std::int64_t amount) { return core::quota_text(row.resource, amount); };
    rows.push_back(DocumentObject(builder)
                       .text("node", row.node)
                       .text("flavor", row.flavor)
                       .text("resource", row.resource)
                       .text("nominal", text(row.nominal))
                       .text("subtree", text(row.subtree))
                       .text("usage", text(row.usage))
                       .text("available", text(row.available))
                       .text("potential", text(row.potential))
                       .node());
  }
  return rows;
}

std::vector<Node> share_figures(Builder& builder, const Tables& tables) {
  std::vector<Node> rows;
  for (const core::ShareRow& share : share_rows(tables)) {
    DocumentObject row(builder);
    row.text("node", share.node)
        .text("dominantResource", share.dominant_resource)
        .integer("share", share.share);
    if (share.weighted_share) {
      row.integer("weightedShare", *share.weighted_share);
    } else {
      row.text("weightedShare", "Inf");
    }
    row.text("weight", share.weight);
    rows.push_back(row.node());
  }
  return rows;
}

}  // namespace muster::cli
