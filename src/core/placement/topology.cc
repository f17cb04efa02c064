// SPDX-License-Identifier: Apache-2.0
#include "core/placement/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/checked.h"
#include "core/model/tables.h"
#include "core/placement/topology_counts.h"
#include "core/placement/topology_place.h"
#include "core/placement/topology_replace.h"
#include "core/plan/policy.h"

namespace muster::core {

namespace {

using Leaves = std::vector<TopologyDomainUsage>;

TopologyAssignment named(const TopologyTree& tree, const Leaves& leaves) {
  const auto levels = tree.assigned_levels();
  TopologyAssignment assignment{.levels = {levels.begin(), levels.end()}, .domains = {}};
  assignment.domains.reserve(leaves.size());
  for (const TopologyDomainUsage& leaf : leaves) {
    const auto values = tree.assigned_values(leaf.leaf);
    assignment.domains.push_back({{values.begin(), values.end()}, leaf.count});
  }
  return assignment;
}

// Node selector and tolerations that admission checks add. False: they contradict the pod's own.
bool add_updates(const Workload& workload, const GangPodSet& set, SchedulingTerms& terms,
                 std::string& sentence) {
  for (const PodSetUpdate& update : workload.extras->updates) {
    if (update.pod_set != set.name) continue;
    for (const auto& [key, value] : update.node_selector) {
      const auto own = find_label(terms.node_selector, key);
      if (own && *own != value) {
        sentence = fmt::format(
            "invalid podSetUpdate for PodSet {}, error: invalid admission check PodSetUpdate: "
            "conflict for nodeSelector: conflict for key={}, value1={}, value2={}",
            set.name, key, *own, value);
        return false;
      }
      if (!own) terms.node_selector.emplace_back(key, value);
    }
    std::ranges::sort(terms.node_selector);
    terms.tolerations.insert(terms.tolerations.end(), update.tolerations.begin(),
                             update.tolerations.end());
  }
  return true;
}

class Assigner {
 public:
  Assigner(Tables& tables, const Policy& policy, const Workload& workload,
           std::span<const TopologyPodSet> pod_sets, TopologyOptions options)
      : tables_(tables),
        policy_(policy),
        workload_(workload),
        pod_sets_(pod_sets),
        options_(options),
        gates_(topology_gates(tables)),
        assumed_(tables.undo) {
    result_.pod_sets.resize(pod_sets.size());
    failures_.resize(pod_sets.size());
  }

  TopologyResult run() {
    std::map<std::string_view, std::vector<std::size_t>> by_flavor;
    for (std::size_t i = 0; i < pod_sets_.size(); ++i) {
      by_flavor[tables_.flavors.key(pod_sets_[i].flavor)].push_back(i);
    }
    groups_left_ = pod_sets_.size();
    for (const auto& [name, members] : by_flavor) assign_flavor(members);
    for (std::size_t i = 0; i < failures_.size(); ++i) {
      if (!failures_[i]) continue;
      result_.failure = Reason{.type = Reason::Type::no_topology,
                               .pod_set = pod_sets_[i].set->name,
                               .flavor = tables_.flavors.key(pod_sets_[i].flavor),
                               .detail = *failures_[i]};
      result_.failed_pod_set = i;
      break;
    }
    return std::move(result_);
  }

 private:
  // Pod sets of one flavor in groups, in the order in which groups are first named.
  void assign_flavor(const std::vector<std::size_t>& members) {
    TopologyTree* tree = tables_.topologies.tree(tables_, pod_sets_[members.front()].flavor);
    std::vector<std::vector<std::size_t>> groups;
    std::map<std::string_view, std::size_t> named_groups;
    for (const std::size_t i : members) {
      const std::string& name = pod_sets_[i].set->topology.group;
      const auto at = name.empty() ? named_groups.end() : named_groups.find(name);
      if (at != named_groups.end()) {
        groups[at->second].push_back(i);
        continue;
      }
      if (!name.empty()) named_groups.emplace(name, groups.size());
      groups.push_back({i});
    }
    if (tree == nullptr) {
      failures_[members.front()] = "topology information is missing";
      return;
    }
    PlaceFinder finder(tables_, *tree, pod_sets_[members.front()].flavor, options_,
                       policy_.explanation);
    for (const std::vector<std::size_t>& group : groups) {
      groups_left_ -= group.size();
      const bool goes_on = workload_.extras->unhealthy_nodes.empty() ? assign_group(finder, group)
                                                                     : replace_group(finder, group);
      if (!goes_on) return;
    }
  }

  // Of two pod sets the smaller is the leader; of equal ones the second.
  bool assign_group(PlaceFinder& finder, const std::vector<std::size_t>& group) {
    std::size_t workers = group.front();
    std::optional<std::size_t> leader;
    if (group.size() > 1) {
      leader = group[1];
      if (pod_sets_[*leader].count > pod_sets_[workers].count) std::swap(*leader, workers);
    }
    if (gates_.elastic && pod_sets_[workers].previous != nullptr) {
      const auto done = assign_elastic(finder, workers, leader);
      if (done) return *done;
    }
    const FoundPlace place = find(finder, workers, leader, pod_sets_[workers].count);
    if (!place.fits) {
      for (const std::size_t i : group) failures_[i] = place.sentence;
      return false;
    }
    keep(finder, workers, place.workers);
    assume(finder, workers, place.workers);
    if (leader) {
      keep(finder, *leader, place.leader);
      assume(finder, *leader, place.leader);
    }
    return true;
  }

  FoundPlace find(PlaceFinder& finder, std::size_t workers, std::optional<std::size_t> leader,
                  std::int64_t count) {
    const TopologyPodSet& pod_set = pod_sets_[workers];
    PlaceWish wish{.workers = pod_set.set,
                   .request = &pod_set.set->topology,
                   .count = count,
                   .implied = pod_set.implied,
                   .leader = leader ? pod_sets_[*leader].set : nullptr,
                   .drops_remainder = policy_.drops_slice_remainders};
    SchedulingTerms terms;
    if (!workload_.extras->updates.empty()) {
      terms = pod_set.set->terms;
      FoundPlace nowhere;
      if (!add_updates(workload_, *pod_set.set, terms, nowhere.sentence)) return nowhere;
      wish.terms = &terms;
    }
    return finder.find(wish);
  }

  // The pods of the first unhealthy node move; pod sets without a place are left alone.
  bool replace_group(PlaceFinder& finder, const std::vector<std::size_t>& group) {
    for (const std::size_t i : group) {
      const TopologyPodSet& pod_set = pod_sets_[i];
      const auto& admitted = workload_.admission->pod_sets;
      const auto at = std::ranges::find(admitted, pod_set.set->name, &PodSetAssignment::name);
      if (at == admitted.end() || !at->topology) continue;
      if (gates_.keeps_pod_owned && workload_.is_owned_by_single_pod) {
        result_.pod_sets[i] = at->topology;
        continue;
      }
      SchedulingTerms terms = pod_set.set->terms;
      std::string sentence;
      if (!add_updates(workload_, *pod_set.set, terms, sentence)) {
        failures_[i] = sentence;
        return false;
      }
      const Replacement moved = replace_node(finder, pod_set, *at->topology,
                                             workload_.extras->unhealthy_nodes.front(), &terms);
      if (!moved.sentence.empty()) {
        failures_[i] = moved.sentence;
        return false;
      }
      keep(finder, i, moved.whole);
      take_assumed(finder, i, moved.added);  // for those of the same group too
    }
    return true;
  }

  // Nothing: the previous places are gone, and all pods are placed anew.
  std::optional<bool> assign_elastic(PlaceFinder& finder, std::size_t workers,
                                     std::optional<std::size_t> leader) {
    const TopologyPodSet& pod_set = pod_sets_[workers];
    Leaves before;
    Leaves leader_before;
    if (!find_leaves(finder.tree(), *pod_set.previous, before)) return std::nullopt;
    const TopologyAssignment* led = leader ? pod_sets_[*leader].previous : nullptr;
    if (led != nullptr && !find_leaves(finder.tree(), *led, leader_before)) return std::nullopt;
    std::int64_t had = 0;
    for (const TopologyDomainUsage& leaf : before) had += leaf.count;
    if (led != nullptr) keep(finder, *leader, leader_before);
    if (pod_set.count <= had) {
      keep(finder, workers, first_pods(before, pod_set.count));
      assume(finder, workers, first_pods(before, pod_set.count));
      if (led != nullptr) assume(finder, *leader, leader_before);
      return true;
    }
    take_assumed(finder, workers, before);
    if (led != nullptr) take_assumed(finder, *leader, leader_before);
    const bool places_leader = leader && led == nullptr;
    const FoundPlace place =
        find(finder, workers, places_leader ? leader : std::nullopt, pod_set.count - had);
    if (!place.fits) {
      failures_[workers] = place.sentence;
      return false;
    }
    keep(finder, workers, merge(place.workers, before));
    assume(finder, workers, place.workers);
    if (places_leader) {
      keep(finder, *leader, place.leader);
      assume(finder, *leader, place.leader);
    }
    return true;
  }

  static Leaves first_pods(const Leaves& leaves, std::int64_t count) {
    Leaves first;
    for (const TopologyDomainUsage& leaf : leaves) {
      if (count <= 0) break;
      first.push_back(
          {leaf.leaf, static_cast<std::int32_t>(std::min<std::int64_t>(leaf.count, count))});
      count -= leaf.count;
    }
    return first;
  }

  void keep(PlaceFinder& finder, std::size_t i, const Leaves& leaves) {
    if (!options_.is_question) result_.pod_sets[i] = named(finder.tree(), leaves);
    result_.usage.push_back({.flavor = pod_sets_[i].flavor,
                             .tree = finder.tree().number(),
                             .requests = pod_sets_[i].set->requests,
                             .domains = leaves});
  }

  // What earlier pod sets of the workload will take is taken for the later ones.
  void assume(PlaceFinder& finder, std::size_t i, const Leaves& leaves) {
    if (groups_left_ > 0) take_assumed(finder, i, leaves);
  }

  void take_assumed(PlaceFinder& finder, std::size_t i, const Leaves& leaves) {
    TopologyTree& own = finder.tree();
    const Amounts& requests = pod_sets_[i].set->requests;
    const ResourceId pods = tables_.names.pods();
    for (const TopologyDomainUsage& leaf : leaves) {
      own.try_assume(assumed_, leaf.leaf, requests, pods, -leaf.count);
    }
    if (!gates_.overlapping_flavors || !own.is_by_host()) return;
    for (const auto& tree : tables_.topologies.trees(tables_)) {
      if (!tree || tree.get() == &own || !tree->is_by_host() || !is_asked_for(*tree)) continue;
      for (const TopologyDomainUsage& leaf : leaves) {
        const std::uint32_t there = tree->find_leaf(own.assigned_values(leaf.leaf));
        if (there == TopologyTree::no_leaf) continue;
        tree->try_assume(assumed_, there, requests, pods, -leaf.count);
      }
    }
  }

  bool is_asked_for(const TopologyTree& tree) {
    return std::ranges::any_of(pod_sets_, [&](const TopologyPodSet& pod_set) {
      return tables_.topologies.tree(tables_, pod_set.flavor) == &tree;
    });
  }

  Tables& tables_;
  const Policy& policy_;
  const Workload& workload_;
  std::span<const TopologyPodSet> pod_sets_;
  TopologyOptions options_;
  TopologyGates gates_;
  Trial assumed_;  // never committed
  std::size_t groups_left_ = 0;
  std::vector<std::optional<std::string>> failures_;
  TopologyResult result_;
};

void move(Tables& tables, Trial& trial, const TopologyUsage& usage, std::int32_t sign) {
  TopologyTree* tree = tables.topologies.tree(tables, usage.flavor);
  if (tree == nullptr || usage.tree != tree->number()) return;
  for (const TopologyDomainUsage& domain : usage.domains) {
    tree->try_shift(trial, domain.leaf, usage.requests, tables.names.pods(),
                    std::int64_t{sign} * domain.count);
  }
}

// A reserved workload's usage can be moved in the flavors that its queue has.
void move(Tables& tables, Trial& trial, WorkloadId workload, std::int32_t sign) {
  WorkloadRow& row = tables.workloads[workload];
  if (row.reservation->topology_holds.empty() || row.reserved_in.is_none()) return;
  const ClusterQueueRow& queue = tables.cluster_queues[row.reserved_in];
  for (TopologyHold& hold : row.reservation.edit().topology_holds) {
    const bool is_there = std::ranges::any_of(queue.groups, [&](const auto& group) {
      return std::ranges::any_of(
          group, [&](const GroupFlavor& flavor) { return flavor.flavor == hold.usage.flavor; });
    });
    if (!is_there) continue;
    move(tables, trial, tables.topologies.usage_of(tables, row.spec, hold), sign);
  }
}

}  // namespace

TopologyResult assign_topology(Tables& tables, const Policy& policy, const Workload& workload,
                               std::span<const TopologyPodSet> pod_sets, TopologyOptions options) {
  return Assigner(tables, policy, workload, pod_sets, options).run();
}

TopologyUsage topology_usage(const Tables& tables, FlavorId flavor, const Amounts& pod_requests,
                             const TopologyAssignment& assignment,
                             const TopologyAssignment* accounted) {
  if (accounted == nullptr) {
    return tables.topologies.resolve(tables, flavor, pod_requests, assignment);
  }
  std::map<std::vector<std::string>, std::int64_t> counted;
  for (const TopologyDomain& domain : accounted->domains) counted[domain.values] += domain.count;
  TopologyAssignment more{.levels = assignment.levels, .domains = {}};
  for (const TopologyDomain& domain : assignment.domains) {
    const auto at = counted.find(domain.values);
    const std::int64_t count = domain.count - (at == counted.end() ? 0 : at->second);
    if (count > 0) more.domains.push_back({domain.values, count});
  }
  return tables.topologies.resolve(tables, flavor, pod_requests, more);
}

void take_topology(Tables& tables, Trial& trial, std::span<const TopologyUsage> usage) {
  for (const TopologyUsage& entry : usage) move(tables, trial, entry, -1);
}

void give_topology(Tables& tables, Trial& trial, std::span<const TopologyUsage> usage) {
  for (const TopologyUsage& entry : usage) move(tables, trial, entry, 1);
}

void take_topology(Tables& tables, Trial& trial, WorkloadId workload) {
  move(tables, trial, workload, -1);
}

void give_topology(Tables& tables, Trial& trial, WorkloadId workload) {
  move(tables, trial, workload, 1);
}

namespace {

template <typename KeyOf>
bool every_domain_has_room(const Tables& tables, std::span<const TopologyUsage> usage,
                           KeyOf key_of) {
  const RoomBasis basis =
      topology_gates(tables).overlapping_flavors ? RoomBasis::room : RoomBasis::own_room;
  return std::ranges::all_of(usage, [&](const TopologyUsage& entry) {
    TopologyTree* tree = tables.topologies.tree(tables, entry.flavor);
    if (tree == nullptr || entry.is_stale || entry.tree != tree->number()) return false;
    const CountKey key = key_of(*tree, basis, entry.requests);
    return std::ranges::all_of(entry.domains, [&](const TopologyDomainUsage& domain) {
      return count_pods_at(*tree, key, domain.leaf) >= domain.count;
    });
  });
}

}  // namespace

bool topology_fits(const Tables& tables, const Policy&, std::span<const TopologyUsage> usage) {
  return every_domain_has_room(tables, usage, fit_key);
}

bool topology_is_free(const Tables& tables, std::span<const TopologyUsage> usage) {
  return every_domain_has_room(
      tables, usage,
      [pods = tables.names.pods()](const TopologyTree& tree, RoomBasis basis,
                                   const Amounts& requests) {
        return count_key(tree, basis, requests, pods);
      });
}

bool has_topology(const Tables& tables, FlavorId flavor) {
  const FlavorRow& row = tables.flavors[flavor];
  return row.present && !row.spec.topology_name.empty() &&
         tables.topologies.has(row.spec.topology_name) &&
         tables.configuration.gates.enabled(Gate::topology_aware_scheduling);
}

bool has_levels(const Tables& tables, FlavorId flavor, const TopologyRequest& request) {
  using Mode = TopologyRequest::Mode;
  if (!has_topology(tables, flavor)) return false;
  const Topologies& topologies = tables.topologies;
  const std::string& name = tables.flavors[flavor].spec.topology_name;
  const std::vector<std::string>& levels = topologies.rows[topologies.rows.find(name)].spec.levels;
  const auto is_level = [&](const std::string& level) {
    return std::ranges::find(levels, level) != levels.end();
  };
  const bool has_slices =
      !request.slices.empty() && (request.has_layers || !request.slices.front().level.empty());
  const bool names_level = request.mode == Mode::required || request.mode == Mode::preferred;
  if (names_level ? !is_level(request.level) : !has_slices && request.mode != Mode::unconstrained) {
    return false;
  }
  return !has_slices || std::ranges::all_of(request.slices, [&](const SliceLayer& layer) {
    return is_level(layer.level);
  });
}

}  // namespace muster::core
