// QuotaForest, the part that is told and asked; quota_build.cc builds the trees.
// SPDX-License-Identifier: Apache-2.0
#include "core/model/quota_forest.h"

#include <array>

#include "base/check.h"

namespace muster::core {

namespace {

// Most trees are no deeper; those that are take a list.
constexpr std::size_t usual_depth = 16;

}  // namespace

QuotaNodeId QuotaForest::add(Node node) {
  node.is_present = true;
  QuotaNodeId id;
  if (free_.empty()) {
    id = QuotaNodeId(static_cast<std::uint32_t>(nodes_.size()));
    nodes_.emplace_back();
    places_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  nodes_[id.index()] = std::move(node);
  // A successor must not look like its predecessor to those who remember a generation.
  places_[id.index()] = {.generation = places_[id.index()].generation};
  mark(id, true);
  return id;
}

QuotaNodeId QuotaForest::add_cluster_queue(ClusterQueueId queue, std::string name) {
  Node node;
  node.name = std::move(name);
  node.queue = queue;
  return add(std::move(node));
}

QuotaNodeId QuotaForest::add_cohort(CohortId cohort, std::string name) {
  Node node;
  node.name = std::move(name);
  node.cohort = cohort;
  return add(std::move(node));
}

void QuotaForest::remove(QuotaNodeId node) {
  CHECK(nodes_[node.index()].children.empty());
  set_parent(node, QuotaNodeId::none());
  free_cells(node);
  nodes_[node.index()] = Node();
  free_.push_back(node);
}

void QuotaForest::mark(QuotaNodeId node, bool has_new_quota) {
  Node& row = nodes_[node.index()];
  row.has_new_quota = row.has_new_quota || has_new_quota;
  if (row.is_dirty) return;
  row.is_dirty = true;
  dirty_.push_back(node);
}

void QuotaForest::set_parent(QuotaNodeId node, QuotaNodeId parent) {
  Node& row = nodes_[node.index()];
  if (row.parent == parent) return;
  if (!row.parent.is_none()) {
    std::erase(nodes_[row.parent.index()].children, node);
    mark(row.parent, true);
  }
  row.parent = parent;
  if (!parent.is_none()) nodes_[parent.index()].children.push_back(node);
  mark(node, true);
}

void QuotaForest::set_quotas(QuotaNodeId node, std::vector<NodeQuota> quotas) {
  nodes_[node.index()].quotas = std::move(quotas);
  mark(node, true);
}

void QuotaForest::set_visible(QuotaNodeId node, bool visible) {
  Node& row = nodes_[node.index()];
  if (row.is_visible == visible) return;
  row.is_visible = visible;
  if (!dirty_.empty()) {
    mark(node, false);
    return;
  }
  for (QuotaNodeId above = places_[node.index()].parent; !above.is_none();
       above = places_[above.index()].parent) {
    build_visible(above);
  }
}

// One walks twice as fast as the other; they meet where the way goes round.
bool QuotaForest::has_cycle(QuotaNodeId node) const {
  const auto above = [&](QuotaNodeId id) { return id.is_none() ? id : nodes_[id.index()].parent; };
  QuotaNodeId slow = node;
  QuotaNodeId fast = above(node);
  while (!fast.is_none()) {
    if (slow == fast) return true;
    slow = above(slow);
    fast = above(above(fast));
  }
  return false;
}

std::vector<QuotaNodeId> QuotaForest::subtree_of(QuotaNodeId node) const {
  std::vector<QuotaNodeId> nodes{node};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const QuotaNodeId child : nodes_[nodes[i].index()].children) {
      if (child != node) nodes.push_back(child);  // it comes round again in a cycle
    }
  }
  return nodes;
}

std::span<const QuotaNodeId> QuotaForest::children(QuotaNodeId node) const {
  place(node);
  return nodes_[node.index()].visible;
}

std::span<const std::int64_t> QuotaForest::lendable(QuotaNodeId cohort) const {
  place(cohort);
  return nodes_[cohort.index()].lendable;
}

std::span<const ResourceId> QuotaForest::resources(QuotaNodeId node) const {
  const QuotaNodeId root = place(node).root;
  if (root.is_none()) return {};
  return nodes_[root.index()].resources;
}

std::uint32_t QuotaForest::find_cell_above(QuotaNodeId node, FlavorResourceId pair) const {
  for (QuotaNodeId at = node; !at.is_none(); at = place(at).parent) {
    const std::uint32_t cell = find_cell(at, pair);
    if (cell != no_cell) return cell;
  }
  return no_cell;
}

const NodeQuota* QuotaForest::quota_of(QuotaNodeId node, FlavorResourceId pair) const {
  const std::uint32_t cell = find_cell(node, pair);
  if (cell == no_cell || cells_.quota[cell] == no_quota) return nullptr;
  return &nodes_[node.index()].quotas[cells_.quota[cell]];
}

std::int64_t QuotaForest::nominal(QuotaNodeId node, FlavorResourceId pair) const {
  const NodeQuota* quota = quota_of(node, pair);
  return quota == nullptr ? 0 : quota->nominal;
}

std::optional<std::int64_t> QuotaForest::borrowing_limit(QuotaNodeId node,
                                                         FlavorResourceId pair) const {
  const NodeQuota* quota = quota_of(node, pair);
  return quota == nullptr ? std::nullopt : quota->borrowing_limit;
}

std::optional<std::int64_t> QuotaForest::lending_limit(QuotaNodeId node,
                                                       FlavorResourceId pair) const {
  const NodeQuota* quota = quota_of(node, pair);
  return quota == nullptr ? std::nullopt : quota->lending_limit;
}

bool QuotaForest::has_quota(QuotaNodeId node, FlavorResourceId pair) const {
  return quota_of(node, pair) != nullptr;
}

bool QuotaForest::is_in_subtree(QuotaNodeId node, FlavorResourceId pair) const {
  const std::uint32_t cell = find_cell(node, pair);
  return cell != no_cell && (cells_.flags[cell] & in_subtree) != 0;
}

std::int64_t QuotaForest::subtree(QuotaNodeId node, FlavorResourceId pair) const {
  const std::uint32_t cell = find_cell(node, pair);
  return cell == no_cell ? 0 : cells_.subtree[cell];
}

std::int64_t QuotaForest::usage(QuotaNodeId node, FlavorResourceId pair) const {
  const std::uint32_t cell = find_cell(node, pair);
  return cell == no_cell ? 0 : cells_.usage[cell];
}

std::int64_t QuotaForest::local_quota(QuotaNodeId node, FlavorResourceId pair) const {
  const std::uint32_t cell = find_cell(node, pair);
  return cell == no_cell ? 0 : cells_.local_quota[cell];
}

std::int64_t QuotaForest::local_available(QuotaNodeId node, FlavorResourceId pair) const {
  const std::uint32_t cell = find_cell(node, pair);
  if (cell == no_cell) return 0;
  return std::max<std::int64_t>(0, amount_minus(cells_.local_quota[cell], cells_.usage[cell]));
}

// What the node adds to what its parent has left: what it keeps for itself, and no more of the rest
// than its borrowing limit leaves.
std::int64_t QuotaForest::available_below(std::uint32_t cell, std::int64_t above) const {
  const std::int64_t kept = cells_.local_quota[cell];
  const std::int64_t used = cells_.usage[cell];
  const std::int64_t limit = cells_.borrowing_limit[cell];
  if (limit != unlimited) {
    const std::int64_t lent = amount_minus(cells_.subtree[cell], kept);
    const std::int64_t used_above = std::max<std::int64_t>(0, amount_minus(used, kept));
    above = std::min(above, amount_plus(amount_minus(lent, used_above), limit));
  }
  return amount_plus(std::max<std::int64_t>(0, amount_minus(kept, used)), above);
}

std::int64_t QuotaForest::available_at(std::uint32_t cell) const {
  std::array<std::uint32_t, usual_depth> near{};
  std::vector<std::uint32_t> far;
  std::size_t depth = 0;
  std::uint32_t root = cell;
  for (; cells_.above[root] != no_cell; root = cells_.above[root], ++depth) {
    if (depth < near.size()) {
      near[depth] = root;
    } else {
      far.push_back(root);
    }
  }
  std::int64_t left = amount_minus(cells_.subtree[root], cells_.usage[root]);
  for (std::size_t i = far.size(); i-- > 0;) left = available_below(far[i], left);
  for (std::size_t i = std::min(depth, near.size()); i-- > 0;)
    left = available_below(near[i], left);
  return left;
}

std::int64_t QuotaForest::available(QuotaNodeId node, FlavorResourceId pair) const {
  const std::uint32_t cell = find_cell_above(node, pair);
  return cell == no_cell ? 0 : available_at(cell);
}

std::int64_t QuotaForest::potential(QuotaNodeId node, FlavorResourceId pair) const {
  const std::uint32_t cell = find_cell_above(node, pair);
  return cell == no_cell ? 0 : cells_.potential[cell];
}

QuotaForest::Cell QuotaForest::cell(QuotaNodeId node, std::size_t index) const {
  const std::size_t at = place(node).first_cell + index;
  return {.flavor_resource = cells_.pair[at],
          .is_in_subtree = (cells_.flags[at] & in_subtree) != 0,
          .has_usage = (cells_.flags[at] & touched) != 0,
          .subtree = cells_.subtree[at],
          .usage = cells_.usage[at],
          .resource = cells_.resource[at]};
}

template <class Write>
void QuotaForest::add_from(std::uint32_t cell, std::int64_t amount, Write&& write) {
  for (; cell != no_cell; cell = cells_.above[cell]) {
    const std::int64_t used = cells_.usage[cell];
    const std::int64_t kept =
        std::max<std::int64_t>(0, amount_minus(cells_.local_quota[cell], used));
    write(cell, amount_plus(used, amount));
    if (amount <= kept) return;
    amount = amount_minus(amount, kept);
  }
}

template <class Write>
void QuotaForest::remove_from(std::uint32_t cell, std::int64_t amount, Write&& write) {
  for (; cell != no_cell; cell = cells_.above[cell]) {
    const std::int64_t used = cells_.usage[cell];
    const std::int64_t used_above = amount_minus(used, cells_.local_quota[cell]);
    write(cell, amount_minus(used, amount));
    if (used_above <= 0) return;
    amount = std::min(amount, used_above);
  }
}

// The trees are to be built anyway: the queue's own figure is enough until then.
void QuotaForest::carry(QuotaNodeId queue, FlavorResourceId pair, std::int64_t amount, bool adds) {
  const auto apply = [&](std::int64_t& figure) {
    figure = adds ? amount_plus(figure, amount) : amount_minus(figure, amount);
  };
  mark(queue, false);
  const std::uint32_t cell = search(queue, pair);
  if (cell != no_cell) {
    apply(cells_.usage[cell]);
    cells_.flags[cell] |= touched;
    return;
  }
  Usage& carried = nodes_[queue.index()].carried;
  auto at = std::ranges::find(carried, pair, &FlavorUsage::flavor_resource);
  if (at == carried.end()) at = carried.insert(at, {pair, 0});
  apply(at->amount);
}

void QuotaForest::add_usage(QuotaNodeId queue, FlavorResourceId pair, std::int64_t amount) {
  const std::uint32_t cell = search(queue, pair);
  if (!dirty_.empty() || cell == no_cell) {
    carry(queue, pair, amount, true);
    return;
  }
  add_from(cell, amount, [&](std::uint32_t at, std::int64_t figure) {
    cells_.usage[at] = figure;
    cells_.flags[at] |= touched;
  });
}

void QuotaForest::remove_usage(QuotaNodeId queue, FlavorResourceId pair, std::int64_t amount) {
  const std::uint32_t cell = search(queue, pair);
  if (!dirty_.empty() || cell == no_cell) {
    carry(queue, pair, amount, false);
    return;
  }
  remove_from(cell, amount, [&](std::uint32_t at, std::int64_t figure) {
    cells_.usage[at] = figure;
    cells_.flags[at] |= touched;
  });
}

void QuotaForest::add_usage(Trial& trial, QuotaNodeId queue, FlavorResourceId pair,
                            std::int64_t amount) {
  add_from(find_cell(queue, pair), amount,
           [&](std::uint32_t at, std::int64_t figure) { trial.set(cells_.usage[at], figure); });
}

void QuotaForest::remove_usage(Trial& trial, QuotaNodeId queue, FlavorResourceId pair,
                               std::int64_t amount) {
  remove_from(find_cell(queue, pair), amount,
              [&](std::uint32_t at, std::int64_t figure) { trial.set(cells_.usage[at], figure); });
}

}  // namespace muster::core
