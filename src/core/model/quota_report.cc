// SPDX-License-Identifier: Apache-2.0
#include "core/model/quota_report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <tuple>

#include "base/quantity.h"
#include "core/admission/fair_share.h"

namespace muster::core {

namespace {

struct NamedNode {
  std::string name;
  QuotaNodeId node;
};

// Those that take part, queues before cohorts, by name.
std::vector<NamedNode> nodes_of(const Tables& tables) {
  std::vector<NamedNode> nodes;
  tables.cluster_queues.for_each([&](ClusterQueueId id, const ClusterQueueRow& row) {
    if (row.is_active) nodes.push_back({"ClusterQueue/" + tables.cluster_queues.key(id), row.node});
  });
  tables.cohorts.for_each([&](CohortId id, const CohortRow& row) {
    if (tables.quota.has_cycle(row.node)) return;
    nodes.push_back({"Cohort/" + tables.cohorts.key(id), row.node});
  });
  std::ranges::sort(nodes, {}, &NamedNode::name);
  return nodes;
}

void add_rows(const Tables& tables, const NamedNode& named, std::vector<QuotaRow>& rows) {
  const QuotaForest& quota = tables.quota;
  const std::size_t first = rows.size();
  for (std::size_t i = 0; i < quota.cell_count(named.node); ++i) {
    const QuotaForest::Cell cell = quota.cell(named.node, i);
    if (!cell.is_in_subtree && !cell.has_usage) continue;
    const FlavorResourceId pair = cell.flavor_resource;
    const std::int64_t left = quota.available(named.node, pair);
    rows.push_back({
        .node = named.name,
        .flavor = tables.flavors.key(tables.flavor_resources.flavor(pair)),
        .resource = tables.names.name(tables.flavor_resources.resource(pair)),
        .nominal = quota.nominal(named.node, pair),
        .subtree = cell.subtree,
        .usage = cell.usage,
        .available = quota.is_cluster_queue(named.node) ? std::max<std::int64_t>(0, left) : left,
        .potential = quota.potential(named.node, pair),
    });
  }
  std::sort(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
            [](const QuotaRow& a, const QuotaRow& b) {
              return std::tie(a.flavor, a.resource) < std::tie(b.flavor, b.resource);
            });
}

// The shortest digits that say the number, without an exponent.
std::string weight_text(double weight) {
  std::array<char, 512> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), weight, std::chars_format::fixed);
  return std::string(text.data(), end.ptr);
}

}  // namespace

std::vector<QuotaRow> quota_rows(const Tables& tables) {
  std::vector<QuotaRow> rows;
  for (const NamedNode& named : nodes_of(tables)) add_rows(tables, named, rows);
  return rows;
}

std::vector<ShareRow> share_rows(const Tables& tables) {
  std::vector<ShareRow> rows;
  for (const NamedNode& named : nodes_of(tables)) {
    const FairShare share = fair_share(tables, named.node);
    ShareRow row{.node = named.name,
                 .dominant_resource = {},
                 .share = rounded_up(share.unweighted),
                 .weight = weight_text(share.weight)};
    if (!share.dominant.is_none()) row.dominant_resource = tables.names.name(share.dominant);
    if (!share.is_infinite()) row.weighted_share = share.rounded_weighted();
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string quota_text(std::string_view resource, std::int64_t amount) {
  if (amount == unlimited) return "Unlimited";
  // As far below zero as there is: no number that a suffix should dress up.
  if (amount == std::numeric_limits<std::int64_t>::min()) return std::to_string(amount);
  return resource_quantity(resource, amount).to_string();
}

}  // namespace muster::core
