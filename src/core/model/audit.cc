// SPDX-License-Identifier: Apache-2.0
#include "core/model/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/model/quota_report.h"
#include "core/model/tables.h"
#include "core/preemption/candidate_order.h"

namespace muster::core {

namespace {

using Figures = std::map<std::string, std::int64_t>;

constexpr std::array<std::string_view, 7> standing_names{
    "absent", "invalid", "resting", "stranded", "waiting", "reserved", "finished"};

// Figures that are zero say nothing.
void count(Figures& figures, const std::string& name, std::int64_t amount) {
  std::int64_t& figure = figures[name];
  shift(figure, amount);
  if (figure == 0) figures.erase(name);
}

// Usage does not wrap: it stops at the end of int64, and stays there.
void count_usage(Figures& figures, const std::string& name, std::int64_t amount) {
  std::int64_t& figure = figures[name];
  figure = amount_plus(figure, amount);
  if (figure == 0) figures.erase(name);
}

std::string usage_name(std::string_view queue, std::string_view flavor, std::string_view resource) {
  return fmt::format("usage of {}/{}/{}", queue, flavor, resource);
}

std::string free_name(std::string_view node, std::string_view resource) {
  return fmt::format("free on {}: {}", node, resource);
}

void count_node(const Tables& tables, QuotaNodeId node, Figures& figures) {
  for (std::size_t i = 0; i < tables.quota.cell_count(node); ++i) {
    const QuotaForest::Cell cell = tables.quota.cell(node, i);
    const FlavorId flavor = tables.flavor_resources.flavor(cell.flavor_resource);
    const ResourceId resource = tables.flavor_resources.resource(cell.flavor_resource);
    count_usage(figures,
                usage_name(tables.quota.name(node), tables.flavors.key(flavor),
                           tables.names.name(resource)),
                cell.usage);
  }
}

// What the arrays say.
Figures figures_of(const Tables& tables) {
  Figures figures;
  tables.cluster_queues.for_each([&](ClusterQueueId, const ClusterQueueRow& row) {
    if (!row.node.is_none()) count_node(tables, row.node, figures);
  });
  for (std::size_t r = 0; r < tables.names.size(); ++r) {
    const ResourceId resource(static_cast<std::uint32_t>(r));
    tables.nodes.for_each([&](NodeId id, const NodeRow&) {
      count(figures, free_name(tables.nodes.key(id), tables.names.name(resource)),
            tables.free.at(resource, id));
    });
  }
  return figures;
}

// The same from the objects.
class Recount {
 public:
  explicit Recount(const Tables& tables) : tables_(tables), names_(tables.names) {}

  Figures run() {
    tables_.nodes.for_each([&](NodeId id, const NodeRow& row) {
      for (const Amount& amount : row.spec.allocatable) add_free(id, amount, 1);
    });
    tables_.pods.for_each([&](PodId id, const PodRow& row) { add_pod(id, row); });
    tables_.workloads.for_each([&](WorkloadId id, const WorkloadRow& row) {
      if (row.present) add_workload(tables_.workloads.key(id), row);
    });
    return std::move(figures_);
  }

 private:
  void add_free(NodeId node, const Amount& amount, std::int64_t times) {
    count(figures_, free_name(tables_.nodes.key(node), tables_.names.name(amount.resource)),
          static_cast<std::int64_t>(static_cast<std::uint64_t>(amount.amount) *
                                    static_cast<std::uint64_t>(times)));
  }

  void add_pod(PodId id, const PodRow& row) {
    const auto pod = read_pod(row.object, names_);
    if (!row.present || !pod || pod->is_terminated) return;
    const std::string node =
        pod->node_name.empty() ? row.assumed_node.value_or("") : pod->node_name;
    if (node.empty()) return;
    const NodeId node_id = tables_.nodes.find(node);
    for (const Amount& amount : pod->requests) add_free(node_id, amount, -1);
    const std::string name_space = object_key(tables_.pods.key(id)).name_space;
    if (!pod->workload.empty()) {
      ++bound_[{name_space + "/" + pod->workload, pod->pod_set, node}];
    } else if (!pod->owner_uid.empty()) {
      ++bound_by_owner_[{pod->owner_uid, pod->pod_set, node}];
    }
  }

  std::int64_t bound(const std::string& key, const Workload& workload, const std::string& set,
                     const std::string& node) const {
    std::int64_t sum = 0;
    std::vector<std::string> labels{set};
    if (workload.pod_sets.size() == 1) labels.emplace_back();
    for (const std::string& label : labels) {
      const auto named = bound_.find({key, label, node});
      if (named != bound_.end()) sum += named->second;
      const auto owned = bound_by_owner_.find({workload.owner_uid, label, node});
      if (owned != bound_by_owner_.end()) sum += owned->second;
    }
    return sum;
  }

  void add_workload(const std::string& key, const WorkloadRow& row) {
    Result<Workload> workload =
        read_workload(row.object, names_, tables_.request_rules(object_key(key).name_space));
    if (workload && row.assumed) workload = row.spec;
    if (!workload || !workload->holds_quota()) return;
    const ClusterQueueId queue = tables_.cluster_queues.find(workload->admission->cluster_queue);
    for (const PodSetAssignment& assignment : workload->admission->pod_sets) {
      const auto set = std::ranges::find(workload->pod_sets, assignment.name, &GangPodSet::name);
      if (set == workload->pod_sets.end()) continue;
      add_usage(queue, assignment, *set);
      std::int64_t left = INT64_MAX;
      if (workload->is_elastic) {
        left = set->count;
        for (const AssignedDomain& domain : assignment.domains) {
          left -= std::min(domain.count, bound(key, *workload, set->name, domain.node));
        }
      }
      for (const AssignedDomain& domain : assignment.domains) {
        std::int64_t empty =
            std::max<std::int64_t>(0, domain.count - bound(key, *workload, set->name, domain.node));
        empty = std::min(empty, std::max<std::int64_t>(0, left));
        left -= empty;
        const NodeId node = tables_.nodes.find(domain.node);
        for (const Amount& amount : set->requests) add_free(node, amount, -empty);
        add_free(node, {tables_.names.pods(), 1}, -empty);
      }
    }
  }

  void add_usage(ClusterQueueId queue, const PodSetAssignment& assignment, const GangPodSet& set) {
    if (queue.is_none() || tables_.cluster_queues[queue].node.is_none()) return;
    if (tables_.quota.has_cycle(tables_.cluster_queues[queue].node)) return;  // has no figures
    for (const Amount& entry : assignment.usage) {
      std::string flavor;
      for (const auto& [resource, name] : assignment.flavors) {
        if (resource == entry.resource) flavor = name;
      }
      const std::int64_t each = entry.amount / std::max<std::int64_t>(1, assignment.count);
      count(
          figures_,
          usage_name(tables_.cluster_queues.key(queue), flavor, tables_.names.name(entry.resource)),
          assignment.count <= set.effective_count()
              ? entry.amount
              : saturating_multiply(each, set.effective_count()));
    }
  }

  const Tables& tables_;
  ResourceNames names_;
  Figures figures_;
  std::map<std::array<std::string, 3>, std::int64_t> bound_;           // workload, set, node
  std::map<std::array<std::string, 3>, std::int64_t> bound_by_owner_;  // owner's uid, set, node
};

void compare(const Figures& have, const Figures& want, std::vector<std::string>& problems) {
  std::set<std::string> keys;
  for (const auto& [name, figure] : have) keys.insert(name);
  for (const auto& [name, figure] : want) keys.insert(name);
  for (const std::string& name : keys) {
    const std::int64_t a = have.contains(name) ? have.at(name) : 0;
    const std::int64_t b = want.contains(name) ? want.at(name) : 0;
    if (a == b || a == unlimited) continue;  // what reached the end stays there, as in Kueue
    problems.push_back(fmt::format("{} is {}, counted again {}", name, a, b));
  }
}

// What a cohort has and uses follows from its own quota and its children.
void check_cohort(const Tables& tables, const CohortRow& row, std::vector<std::string>& problems) {
  const QuotaForest& quota = tables.quota;
  if (quota.has_cycle(row.node)) return;
  const std::vector<QuotaNodeId> below = quota.subtree_of(row.node);
  for (std::size_t i = 0; i < quota.cell_count(row.node); ++i) {
    const QuotaForest::Cell cell = quota.cell(row.node, i);
    std::int64_t subtree = quota.nominal(row.node, cell.flavor_resource);
    std::int64_t usage = 0;
    for (const QuotaNodeId child : below) {
      if (quota.parent(child) != row.node) continue;
      const std::int64_t kept = quota.local_quota(child, cell.flavor_resource);
      subtree =
          amount_plus(subtree, amount_minus(quota.subtree(child, cell.flavor_resource), kept));
      const std::int64_t used = amount_minus(quota.usage(child, cell.flavor_resource), kept);
      usage = amount_plus(usage, std::max<std::int64_t>(0, used));
    }
    // Sums that once reached the end of int64 stay there, as Kueue's do.
    if (cell.usage == unlimited) continue;
    if (subtree == cell.subtree && usage == cell.usage) continue;
    problems.push_back(fmt::format("cohort {} has {} and uses {}, its children make that {} and {}",
                                   quota.name(row.node), cell.subtree, cell.usage, subtree, usage));
  }
}

// Every waiting workload stands where its row says, and nowhere else.
void check_queues(const Tables& tables, std::vector<std::string>& problems) {
  std::map<std::string, int> found;
  tables.cluster_queues.for_each([&](ClusterQueueId id, const ClusterQueueRow& row) {
    std::size_t active = 0;
    tables.pending.for_each(id, [&](WorkloadId workload, bool is_active) {
      ++found[tables.workloads.key(workload)];
      if (is_active) ++active;
      if (tables.workloads[workload].queued_in != id) {
        problems.push_back(
            fmt::format("{} waits elsewhere but does not say so", tables.workloads.key(workload)));
      }
    });
    const WorkloadId head = tables.pending.head(id);
    if (active != tables.pending.active_count(id) || head.is_none() != (active == 0)) {
      problems.push_back(fmt::format("{} miscounts", tables.cluster_queues.key(id)));
    }
    const bool is_ready = row.is_stirred && !tables.head_of(id).is_none() && row.is_active;
    if (is_ready != (row.ready_position != ClusterQueueRow::not_ready)) {
      problems.push_back(fmt::format("{} is ready, or is not", tables.cluster_queues.key(id)));
    }
  });
  tables.workloads.for_each([&](WorkloadId id, const WorkloadRow& row) {
    const bool waits = row.standing == Standing::waiting;
    const std::string& key = tables.workloads.key(id);
    const auto times = found.find(key);
    if ((times == found.end() ? 0 : times->second) != (waits ? 1 : 0)) {
      problems.push_back(fmt::format("{} is {} but stands in its queue {} times", key,
                                     standing_names[static_cast<std::size_t>(row.standing)],
                                     times == found.end() ? 0 : times->second));
    }
  });
}

// Every queue has those that hold its quota in the order of preemption, as they are now.
void check_candidates(const Tables& tables, std::vector<std::string>& problems) {
  tables.cluster_queues.for_each([&](ClusterQueueId id, const ClusterQueueRow& row) {
    std::set<WorkloadId> found;
    const CandidateEntry* last = nullptr;
    bool is_right = true;
    for (const CandidateEntry& entry : row.candidates) {
      found.insert(entry.workload);
      is_right = is_right && entry == candidate_entry(tables, entry.workload) &&
                 (last == nullptr || CandidateBefore{tables}(*last, entry));
      last = &entry;
    }
    const std::set<WorkloadId> reserving(row.reserving.begin(), row.reserving.end());
    if (!is_right || found != reserving || found.size() != row.reserving.size()) {
      problems.push_back(
          fmt::format("{} has lost the order of its candidates", tables.cluster_queues.key(id)));
    }
  });
}

void check_flavors(const Tables& tables, std::vector<std::string>& problems) {
  std::int64_t naming = 0;
  tables.flavors.for_each(
      [&](FlavorId, const FlavorRow& row) { naming += row.spec.topology_name.empty() ? 0 : 1; });
  if (naming != tables.topology_flavors) {
    problems.push_back(
        fmt::format("{} flavors name a topology, {} are counted", naming, tables.topology_flavors));
  }
}

}  // namespace

std::vector<std::string> audit(const ClusterState& state) {
  std::vector<std::string> problems;
  const Tables& tables = state.tables();
  compare(figures_of(tables), Recount(tables).run(), problems);
  tables.cohorts.for_each(
      [&](CohortId, const CohortRow& row) { check_cohort(tables, row, problems); });
  check_queues(tables, problems);
  check_candidates(tables, problems);
  check_flavors(tables, problems);
  if (!tables.undo.empty()) problems.emplace_back("a trial was left open");
  return problems;
}

std::string describe(const ClusterState& state) {
  const Tables& tables = state.tables();
  std::vector<std::string> lines;
  for (const auto& [name, figure] : figures_of(tables)) {
    lines.push_back(fmt::format("{}: {}", name, figure));
  }
  for (const QuotaRow& row : quota_rows(tables)) {
    if (row.subtree == 0 && row.usage == 0) continue;  // somebody may have used it once
    lines.push_back(fmt::format("quota of {} {} {}: {} {} {} {} {}", row.node, row.flavor,
                                row.resource, row.nominal, row.subtree, row.usage, row.available,
                                row.potential));
  }
  tables.workloads.for_each([&](WorkloadId id, const WorkloadRow& row) {
    if (!row.present) return;
    const std::string queue =
        row.queued_in.is_none() ? "" : " in " + tables.cluster_queues.key(row.queued_in);
    lines.push_back(fmt::format("workload {}: {}{}", tables.workloads.key(id),
                                standing_names[static_cast<std::size_t>(row.standing)], queue));
  });
  tables.pods.for_each([&](PodId id, const PodRow& row) {
    const std::string node = row.node.is_none() ? "nowhere" : tables.nodes.key(row.node);
    lines.push_back(fmt::format("pod {}: {} {}", tables.pods.key(id), node, row.address));
  });
  for (const auto& [name_space, page] : tables.quota_pages) {
    for (const auto& [name, wall] : page.walls()) {
      QuotaAmounts counted = wall.total;
      std::erase_if(counted, [](const auto& entry) { return entry.second.is_zero(); });
      lines.push_back(
          fmt::format("ResourceQuota {}/{}: {}", name_space, name, amounts_text(counted)));
    }
  }
  for (const auto* pods : {&tables.loose_pods, &tables.parked_pods}) {
    for (const auto& [created, key] : *pods) lines.push_back(fmt::format("loose {}", key));
  }
  for (const auto& [created, key] : tables.arrived_pods) {
    lines.push_back(fmt::format("arrived {}", key));
  }
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace muster::core
