// QuotaForest: the quota of ClusterQueues and Cohorts and what of it is in use. Every ClusterQueue
// and Cohort is a node; a node has a cell for each flavor resource that it or somebody below it
// names. Cells are parallel arrays, and a cell knows the cell above it, so that a question walks up
// one short chain. What a node keeps from its parent by a lending limit is its local quota; usage
// beyond it bubbles up.
//
//   forest.set_parent(team_a, research);
//   forest.set_quotas(team_a, {{.flavor_resource = h100_gpu, .nominal = 40}});
//   forest.add_usage(team_a, h100_gpu, 32);
//   forest.available(team_a, h100_gpu)      // 8 and what research can lend
//
// Assumes: Kueue's formulas to the letter, also for absurd amounts (quota_amount.h). Changes of
// structure are cheap: the trees they touch are built again at the next question, each once. Nodes
// in or under a cycle of cohorts have no root, no parent and no cells; their usage is remembered.
// No structure changes while a trial is open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/flavor_resource.h"
#include "core/model/ids.h"
#include "core/model/quota_amount.h"
#include "core/model/resource_names.h"
#include "core/model/trial.h"

namespace muster::core {

// What an object gives of one flavor resource.
struct NodeQuota {
  FlavorResourceId flavor_resource;
  std::int64_t nominal = 0;
  std::optional<std::int64_t> borrowing_limit = {};
  std::optional<std::int64_t> lending_limit = {};

  friend bool operator==(const NodeQuota&, const NodeQuota&) = default;
};

class QuotaForest {
 public:
  // `pairs` says which resource a flavor resource is of, `names` in which order resources stand.
  QuotaForest(const FlavorResources& pairs, const ResourceNames& names)
      : pairs_(pairs), names_(names) {}
  QuotaForest(const QuotaForest&) = delete;
  QuotaForest& operator=(const QuotaForest&) = delete;

  // Structure. A new node is a root without quota.
  QuotaNodeId add_cluster_queue(ClusterQueueId queue, std::string name);
  QuotaNodeId add_cohort(CohortId cohort, std::string name);
  void remove(QuotaNodeId node);  // has no children; its usage is gone
  void set_parent(QuotaNodeId node, QuotaNodeId parent);
  void set_quotas(QuotaNodeId node, std::vector<NodeQuota> quotas);
  void set_fair_weight(QuotaNodeId node, double weight) { nodes_[node.index()].weight = weight; }
  // A ClusterQueue that takes no part at the moment counts in its cohort but is no child of it.
  void set_visible(QuotaNodeId node, bool visible);

  std::size_t node_slots() const { return nodes_.size(); }  // ids are below it
  bool is_cluster_queue(QuotaNodeId node) const { return !nodes_[node.index()].queue.is_none(); }
  ClusterQueueId cluster_queue(QuotaNodeId node) const { return nodes_[node.index()].queue; }
  CohortId cohort(QuotaNodeId node) const { return nodes_[node.index()].cohort; }
  const std::string& name(QuotaNodeId node) const { return nodes_[node.index()].name; }
  double fair_weight(QuotaNodeId node) const { return nodes_[node.index()].weight; }
  bool is_visible(QuotaNodeId node) const { return nodes_[node.index()].is_visible; }

  // What set_parent() said, also in a cycle.
  QuotaNodeId stated_parent(QuotaNodeId node) const { return nodes_[node.index()].parent; }
  // In a cycle of cohorts or below one.
  bool has_cycle(QuotaNodeId node) const;
  // The node and everything below it, whether it takes part or not; in no order, but cohorts come
  // before what is below them.
  std::vector<QuotaNodeId> subtree_of(QuotaNodeId node) const;

  QuotaNodeId parent(QuotaNodeId node) const { return place(node).parent; }
  QuotaNodeId root(QuotaNodeId node) const { return place(node).root; }
  bool has_parent(QuotaNodeId node) const { return !place(node).parent.is_none(); }
  // Those that take part, by name: cohorts, then queues.
  std::span<const QuotaNodeId> children(QuotaNodeId node) const;
  // The longest way down to a child that takes part; 0 for a ClusterQueue.
  int height(QuotaNodeId node) const { return place(node).height; }
  int depth(QuotaNodeId node) const { return place(node).depth; }  // 0 for a root

  // Figures. Zero where nobody names the flavor resource.
  std::int64_t nominal(QuotaNodeId node, FlavorResourceId pair) const;
  std::optional<std::int64_t> borrowing_limit(QuotaNodeId node, FlavorResourceId pair) const;
  std::optional<std::int64_t> lending_limit(QuotaNodeId node, FlavorResourceId pair) const;
  std::int64_t subtree(QuotaNodeId node, FlavorResourceId pair) const;
  std::int64_t usage(QuotaNodeId node, FlavorResourceId pair) const;
  std::int64_t local_quota(QuotaNodeId node, FlavorResourceId pair) const;
  std::int64_t local_available(QuotaNodeId node, FlavorResourceId pair) const;
  // What is left here and above; negative where more is in use than there is.
  std::int64_t available(QuotaNodeId node, FlavorResourceId pair) const;
  // The most there could ever be, were nothing in use.
  std::int64_t potential(QuotaNodeId node, FlavorResourceId pair) const;
  bool has_quota(QuotaNodeId node, FlavorResourceId pair) const;      // the node itself defines it
  bool is_in_subtree(QuotaNodeId node, FlavorResourceId pair) const;  // it or one below it does

  bool is_borrowing(QuotaNodeId node, FlavorResourceId pair) const {
    const std::uint32_t cell = find_cell(node, pair);
    return cell != no_cell && cells_.subtree[cell] < cells_.usage[cell];
  }
  bool borrowing_with(QuotaNodeId node, FlavorResourceId pair, std::int64_t amount) const {
    const std::uint32_t cell = find_cell(node, pair);
    if (cell == no_cell) return amount > 0;
    return cells_.subtree[cell] < amount_plus(cells_.usage[cell], amount);
  }

  // A ClusterQueue takes or gives back. The first two are events. The others vanish with the trial
  // and touch only flavor resources that the queue's quota or the usage of its workloads names.
  void add_usage(QuotaNodeId queue, FlavorResourceId pair, std::int64_t amount);
  void remove_usage(QuotaNodeId queue, FlavorResourceId pair, std::int64_t amount);
  void add_usage(Trial& trial, QuotaNodeId queue, FlavorResourceId pair, std::int64_t amount);
  void remove_usage(Trial& trial, QuotaNodeId queue, FlavorResourceId pair, std::int64_t amount);

  // A cell of a node, for those who look at all of them; in no order.
  struct Cell {
    FlavorResourceId flavor_resource;
    bool is_in_subtree = false;  // the node or one below it has quota of it
    bool has_usage = false;      // somebody uses it, or did
    std::int64_t subtree = 0;
    std::int64_t usage = 0;
    std::uint32_t resource = 0;  // its place in resources(); unless somebody has quota, beyond it
  };
  std::size_t cell_count(QuotaNodeId node) const { return place(node).cell_count; }
  Cell cell(QuotaNodeId node, std::size_t index) const;

  // The resources that somebody in the node's tree has quota of, by name.
  std::span<const ResourceId> resources(QuotaNodeId node) const;
  // For each of them, what a cohort could at most give a child: potential over all flavors.
  std::span<const std::int64_t> lendable(QuotaNodeId cohort) const;

  // Changes when the quota of the node's tree is computed anew.
  std::uint64_t generation(QuotaNodeId node) const { return place(node).generation; }

 private:
  static constexpr std::uint32_t no_cell = 0xffffffff;
  static constexpr std::uint32_t no_quota = 0xffffffff;
  static constexpr std::uint32_t no_resource = 0xffffffff;
  static constexpr std::uint32_t few_cells = 8;

  struct Node {
    std::string name;
    ClusterQueueId queue;
    CohortId cohort;
    QuotaNodeId parent;                 // as stated, also in a cycle
    std::vector<QuotaNodeId> children;  // likewise, in no order
    std::vector<NodeQuota> quotas;
    double weight = 1;
    bool is_present = false;
    bool is_visible = true;
    bool is_dirty = false;
    bool has_new_quota = false;
    Usage carried;  // a ClusterQueue's usage that has no cell at the moment; in no order

    // Follows from the rest.
    std::vector<QuotaNodeId> visible;
    std::vector<std::int64_t> lendable;  // of a cohort
    std::vector<ResourceId> resources;   // of a root
  };

  // What follows for a node and is asked for often.
  struct Place {
    QuotaNodeId parent = {};
    QuotaNodeId root = {};
    std::uint32_t first_cell = 0;
    std::uint32_t cell_count = 0;
    int height = 0;
    int depth = 0;
    std::uint64_t generation = 0;
    std::uint64_t built = 0;  // the last settling that looked at it
  };

  // The cells, by position.
  struct Cells {
    std::vector<FlavorResourceId> pair;
    std::vector<std::uint32_t> above;  // the parent's cell
    std::vector<std::uint32_t> quota;  // place in the node's quotas
    std::vector<std::uint32_t> resource;
    std::vector<std::int64_t> subtree;
    std::vector<std::int64_t> local_quota;
    std::vector<std::int64_t> borrowing_limit;  // unlimited: none
    std::vector<std::int64_t> potential;
    std::vector<std::int64_t> usage;
    std::vector<std::uint8_t> flags;
  };
  static constexpr std::uint8_t in_subtree = 1;
  static constexpr std::uint8_t touched = 2;

  QuotaNodeId add(Node node);
  void mark(QuotaNodeId node, bool has_new_quota);
  void carry(QuotaNodeId queue, FlavorResourceId pair, std::int64_t amount, bool adds);
  std::uint32_t find_cell(QuotaNodeId node, FlavorResourceId pair) const {
    if (!dirty_.empty()) settle();
    return search(node, pair);
  }
  // The cell of the node or of the nearest above it that has one.
  std::uint32_t find_cell_above(QuotaNodeId node, FlavorResourceId pair) const;
  std::int64_t available_at(std::uint32_t cell) const;
  std::int64_t available_below(std::uint32_t cell, std::int64_t above) const;
  const NodeQuota* quota_of(QuotaNodeId node, FlavorResourceId pair) const;
  template <class Write>
  void add_from(std::uint32_t cell, std::int64_t amount, Write&& write);
  template <class Write>
  void remove_from(std::uint32_t cell, std::int64_t amount, Write&& write);

  const Place& place(QuotaNodeId node) const {
    if (!dirty_.empty()) settle();
    return places_[node.index()];
  }

  // quota_build.cc. Building is what a question may have to do first, so it is const; what it
  // changes is only what follows from the rest.
  void settle() const;
  void compact() const;
  void lift_usage(QuotaNodeId node) const;
  void unbuild(QuotaNodeId node) const;
  void build(QuotaNodeId root) const;
  void build_cells(QuotaNodeId node) const;
  void take_from_children(QuotaNodeId cohort) const;
  void take_from_child(QuotaNodeId cohort, QuotaNodeId child) const;
  void build_potential(QuotaNodeId node) const;
  void build_lendable(QuotaNodeId root, const std::vector<QuotaNodeId>& nodes) const;
  void build_visible(QuotaNodeId node) const;
  std::uint32_t allocate(std::uint32_t count) const;
  void free_cells(QuotaNodeId node) const;
  // Sorted, and mostly few: looked through from the front.
  std::uint32_t search(QuotaNodeId node, FlavorResourceId pair) const {
    const Place& place = places_[node.index()];
    const std::uint32_t end = place.first_cell + place.cell_count;
    if (place.cell_count > few_cells) return search_many(place, pair);
    for (std::uint32_t cell = place.first_cell; cell < end; ++cell) {
      if (cells_.pair[cell] == pair) return cell;
    }
    return no_cell;
  }
  std::uint32_t search_many(const Place& place, FlavorResourceId pair) const;

  const FlavorResources& pairs_;
  const ResourceNames& names_;
  mutable std::vector<Node> nodes_;
  mutable std::vector<Place> places_;
  std::vector<QuotaNodeId> free_;
  mutable std::vector<QuotaNodeId> dirty_;
  mutable Cells cells_;
  mutable std::map<std::uint32_t, std::vector<std::uint32_t>> free_runs_;  // by length
  mutable std::size_t free_cells_ = 0;
  mutable std::uint64_t settlings_ = 0;
};

}  // namespace muster::core
