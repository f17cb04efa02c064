// QuotaForest, the part that builds: which cells the nodes of a tree have, and what the quotas and
// the usage of its ClusterQueues make of them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/model/quota_forest.h"

namespace muster::core {

namespace {

constexpr std::size_t wasted_cells_max = 4'096;

}  // namespace

// The few cells of a node are sorted by pair.
std::uint32_t QuotaForest::search_many(const Place& place, FlavorResourceId pair) const {
  const auto first = cells_.pair.begin() + place.first_cell;
  const auto last = first + place.cell_count;
  const auto at = std::lower_bound(first, last, pair);
  if (at == last || *at != pair) return no_cell;
  return place.first_cell + static_cast<std::uint32_t>(at - first);
}

std::uint32_t QuotaForest::allocate(std::uint32_t count) const {
  std::vector<std::uint32_t>& runs = free_runs_[count];
  if (!runs.empty()) {
    const std::uint32_t first = runs.back();
    runs.pop_back();
    free_cells_ -= count;
    return first;
  }
  const auto first = static_cast<std::uint32_t>(cells_.pair.size());
  const std::size_t size = cells_.pair.size() + count;
  cells_.pair.resize(size);
  cells_.above.resize(size);
  cells_.quota.resize(size);
  cells_.resource.resize(size);
  cells_.subtree.resize(size);
  cells_.local_quota.resize(size);
  cells_.borrowing_limit.resize(size);
  cells_.potential.resize(size);
  cells_.usage.resize(size);
  cells_.flags.resize(size);
  return first;
}

void QuotaForest::free_cells(QuotaNodeId node) const {
  Place& place = places_[node.index()];
  if (place.cell_count > 0) free_runs_[place.cell_count].push_back(place.first_cell);
  free_cells_ += place.cell_count;
  place.cell_count = 0;
}

// What a ClusterQueue uses, taken out of its cells before they go.
void QuotaForest::lift_usage(QuotaNodeId node) const {
  Node& row = nodes_[node.index()];
  const Place& place = places_[node.index()];
  if (row.queue.is_none()) return;
  for (std::uint32_t cell = place.first_cell; cell < place.first_cell + place.cell_count; ++cell) {
    if ((cells_.flags[cell] & touched) == 0) continue;
    row.carried.push_back({cells_.pair[cell], cells_.usage[cell]});
  }
}

// Runs of lengths that nobody asks for any more add up: then everything is laid out anew.
void QuotaForest::compact() const {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].is_present) continue;
    lift_usage(QuotaNodeId(i));
    places_[i].cell_count = 0;
    dirty_.emplace_back(i);
  }
  cells_ = {};
  free_runs_.clear();
  free_cells_ = 0;
}

void QuotaForest::settle() const {
  if (free_cells_ > cells_.pair.size() / 2 + wasted_cells_max) compact();
  const std::vector<QuotaNodeId> dirty = std::move(dirty_);
  dirty_.clear();
  ++settlings_;
  for (const QuotaNodeId node : dirty) {
    Node& row = nodes_[node.index()];
    if (!row.is_present) continue;
    row.is_dirty = false;
    if (places_[node.index()].built == settlings_) continue;
    if (has_cycle(node)) {
      for (const QuotaNodeId each : subtree_of(node)) unbuild(each);
      continue;
    }
    QuotaNodeId root = node;
    while (!nodes_[root.index()].parent.is_none()) root = nodes_[root.index()].parent;
    build(root);
  }
}

// Without cells; what is in use waits for the cycle to end.
void QuotaForest::unbuild(QuotaNodeId node) const {
  Place& place = places_[node.index()];
  Node& row = nodes_[node.index()];
  lift_usage(node);
  free_cells(node);
  row.visible.clear();
  row.lendable.clear();
  row.resources.clear();
  place = {.generation = place.generation + 1, .built = settlings_};
}

void QuotaForest::build(QuotaNodeId root) const {
  const std::vector<QuotaNodeId> nodes = subtree_of(root);
  bool has_new_quota = false;
  for (const QuotaNodeId node : nodes) {
    Place& place = places_[node.index()];
    const QuotaNodeId parent = node == root ? QuotaNodeId::none() : nodes_[node.index()].parent;
    place.parent = parent;
    place.root = root;
    place.depth = parent.is_none() ? 0 : places_[parent.index()].depth + 1;
    place.built = settlings_;
    has_new_quota = has_new_quota || nodes_[node.index()].has_new_quota;
    nodes_[node.index()].has_new_quota = false;
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    build_cells(nodes[i]);
    take_from_children(nodes[i]);
    build_visible(nodes[i]);
  }
  for (const QuotaNodeId node : nodes) {
    build_potential(node);
    if (has_new_quota) ++places_[node.index()].generation;
  }
  build_lendable(root, nodes);
}

// A cell for each pair that the node's quota, its own usage or a child names.
void QuotaForest::build_cells(QuotaNodeId node) const {
  Node& row = nodes_[node.index()];
  Place& place = places_[node.index()];
  lift_usage(node);
  const Usage used = std::exchange(row.carried, {});
  std::vector<FlavorResourceId> pairs;
  for (const NodeQuota& quota : row.quotas) pairs.push_back(quota.flavor_resource);
  for (const FlavorUsage& entry : used) pairs.push_back(entry.flavor_resource);
  for (const QuotaNodeId child : row.children) {
    const Place& below = places_[child.index()];
    const auto first = cells_.pair.begin() + below.first_cell;
    pairs.insert(pairs.end(), first, first + below.cell_count);
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  free_cells(node);
  place.cell_count = static_cast<std::uint32_t>(pairs.size());
  place.first_cell = allocate(place.cell_count);
  for (std::uint32_t i = 0; i < place.cell_count; ++i) {
    const std::uint32_t cell = place.first_cell + i;
    cells_.pair[cell] = pairs[i];
    cells_.above[cell] = no_cell;
    cells_.quota[cell] = no_quota;
    cells_.resource[cell] = no_resource;
    cells_.subtree[cell] = 0;
    cells_.local_quota[cell] = 0;
    cells_.borrowing_limit[cell] = unlimited;
    cells_.potential[cell] = 0;
    cells_.usage[cell] = 0;
    cells_.flags[cell] = 0;
  }
  for (std::uint32_t i = 0; i < row.quotas.size(); ++i) {
    const NodeQuota& quota = row.quotas[i];
    const std::uint32_t cell = search(node, quota.flavor_resource);
    cells_.quota[cell] = i;
    cells_.subtree[cell] = quota.nominal;
    cells_.borrowing_limit[cell] = quota.borrowing_limit.value_or(unlimited);
    cells_.flags[cell] |= in_subtree;
  }
  for (const FlavorUsage& entry : used) {
    const std::uint32_t cell = search(node, entry.flavor_resource);
    cells_.usage[cell] = entry.amount;
    cells_.flags[cell] |= touched;
  }
}

// What the children have beyond their local quota, and use beyond it. Then the node's own local
// quota follows.
void QuotaForest::take_from_children(QuotaNodeId node) const {
  const Node& row = nodes_[node.index()];
  for (const QuotaNodeId child : row.children) take_from_child(node, child);
  const Place& place = places_[node.index()];
  for (std::uint32_t cell = place.first_cell; cell < place.first_cell + place.cell_count; ++cell) {
    if (cells_.quota[cell] == no_quota) continue;
    const auto& limit = row.quotas[cells_.quota[cell]].lending_limit;
    if (!limit) continue;
    cells_.local_quota[cell] =
        std::max<std::int64_t>(0, amount_minus(cells_.subtree[cell], *limit));
  }
}

void QuotaForest::take_from_child(QuotaNodeId cohort, QuotaNodeId child) const {
  const Place& below = places_[child.index()];
  std::uint32_t at = places_[cohort.index()].first_cell;
  for (std::uint32_t cell = below.first_cell; cell < below.first_cell + below.cell_count; ++cell) {
    while (cells_.pair[at] != cells_.pair[cell]) ++at;  // both are sorted, and it is there
    cells_.above[cell] = at;
    const std::int64_t kept = cells_.local_quota[cell];
    if ((cells_.flags[cell] & in_subtree) != 0) {
      cells_.subtree[at] =
          amount_plus(cells_.subtree[at], amount_minus(cells_.subtree[cell], kept));
      cells_.flags[at] |= in_subtree;
    }
    const std::int64_t used = std::max<std::int64_t>(0, amount_minus(cells_.usage[cell], kept));
    cells_.usage[at] = amount_plus(cells_.usage[at], used);
    if (used > 0) cells_.flags[at] |= touched;
  }
}

void QuotaForest::build_potential(QuotaNodeId node) const {
  const Place& place = places_[node.index()];
  for (std::uint32_t cell = place.first_cell; cell < place.first_cell + place.cell_count; ++cell) {
    const std::uint32_t above = cells_.above[cell];
    std::int64_t most = cells_.subtree[cell];
    if (above != no_cell) {
      most = amount_plus(cells_.local_quota[cell], cells_.potential[above]);
      const std::int64_t limit = cells_.borrowing_limit[cell];
      if (limit != unlimited) most = std::min(most, amount_plus(cells_.subtree[cell], limit));
    }
    cells_.potential[cell] = most;
  }
}

// Shares are figured over the resources that the root has quota of, in the order of their names.
void QuotaForest::build_lendable(QuotaNodeId root, const std::vector<QuotaNodeId>& nodes) const {
  const Place& top = places_[root.index()];
  std::vector<ResourceId>& resources = nodes_[root.index()].resources;
  resources.clear();
  for (std::uint32_t cell = top.first_cell; cell < top.first_cell + top.cell_count; ++cell) {
    if ((cells_.flags[cell] & in_subtree) == 0) continue;
    resources.push_back(pairs_.resource(cells_.pair[cell]));
  }
  const auto by_name = [&](ResourceId a, ResourceId b) { return names_.name(a) < names_.name(b); };
  std::ranges::sort(resources, by_name);
  resources.erase(std::unique(resources.begin(), resources.end()), resources.end());
  for (std::uint32_t cell = top.first_cell; cell < top.first_cell + top.cell_count; ++cell) {
    if ((cells_.flags[cell] & in_subtree) == 0) continue;
    const ResourceId resource = pairs_.resource(cells_.pair[cell]);
    const auto at = std::lower_bound(resources.begin(), resources.end(), resource, by_name);
    cells_.resource[cell] = static_cast<std::uint32_t>(at - resources.begin());
  }
  for (const QuotaNodeId node : nodes) {
    const Place& place = places_[node.index()];
    for (std::uint32_t cell = place.first_cell; cell < place.first_cell + place.cell_count;
         ++cell) {
      if (cells_.above[cell] != no_cell)
        cells_.resource[cell] = cells_.resource[cells_.above[cell]];
    }
    std::vector<std::int64_t>& lendable = nodes_[node.index()].lendable;
    lendable.clear();
    if (!nodes_[node.index()].queue.is_none()) continue;
    lendable.resize(resources.size());
    for (std::uint32_t cell = top.first_cell; cell < top.first_cell + top.cell_count; ++cell) {
      if ((cells_.flags[cell] & in_subtree) == 0) continue;
      std::int64_t& sum = lendable[cells_.resource[cell]];
      sum = amount_plus(sum, cells_.potential[find_cell_above(node, cells_.pair[cell])]);
    }
  }
}

void QuotaForest::build_visible(QuotaNodeId node) const {
  Node& row = nodes_[node.index()];
  row.visible.clear();
  int height = 0;
  for (const QuotaNodeId child : row.children) {
    const Node& below = nodes_[child.index()];
    if (!below.is_visible) continue;
    row.visible.push_back(child);
    height = std::max(height, 1);
    if (below.queue.is_none()) height = std::max(height, places_[child.index()].height + 1);
  }
  std::ranges::sort(row.visible, [&](QuotaNodeId a, QuotaNodeId b) {
    const Node& left = nodes_[a.index()];
    const Node& right = nodes_[b.index()];
    if (left.queue.is_none() != right.queue.is_none()) return left.queue.is_none();
    return left.name < right.name;
  });
  places_[node.index()].height = height;
}

}  // namespace muster::core
