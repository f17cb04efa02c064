// SPDX-License-Identifier: Apache-2.0
#include "control/kueue_gauges.h"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/model/queue_report.h"
#include "objects/metadata.h"

namespace muster::control {

using core::QuotaNodeId;
using core::Tables;
using objects::condition;
using objects::is_true;
using objects::ObjectKey;
using objects::Value;
using objects::View;

namespace resources = objects::resources;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double limit_of(View limit) {
  return limit ? amount_of(limit).to_double() : infinite;
}

double amount_in(const Usage& usage, std::string_view flavor, std::string_view resource) {
  const auto found = usage.find({std::string(flavor), std::string(resource)});
  return found == usage.end() ? 0 : found->second.to_double();
}

// An amount as quota counts it, in units of the resource.
double units_of(std::string_view resource, std::int64_t amount) {
  return static_cast<double>(amount) / (resource == "cpu" ? 1000 : 1);
}

double share_for_people(double share) {
  return std::isinf(share) ? std::numeric_limits<double>::quiet_NaN() : share;
}

class Display {
 public:
  explicit Display(const GaugeSources& sources)
      : sources_(sources), tables_(sources.state.tables()), scope_(metrics_scope(sources.state)) {}

  void run() {
    for (const Value& queue : sources_.cache.all(resources::cluster_queues)) {
      show_cluster_queue(queue);
    }
    for (const Value& queue : sources_.cache.all(resources::local_queues)) {
      if (scope_.local_queues) show_local_queue(queue);
    }
    tables_.cohorts.for_each([this](core::CohortId id, const core::CohortRow& row) {
      if (!row.node.is_none()) show_cohort(tables_.cohorts.key(id), row);
    });
    show_unadmitted();
  }

 private:
  void set(KueueGauge gauge, MetricSeries::Values values, double value) const {
    sources_.families[gauge].with(values).set(value);
  }

  bool shares_fairly() const { return tables_.configuration.fair_sharing.enabled; }

  std::string_view root_of(QuotaNodeId node) const {
    return tables_.quota.has_parent(node) ? tables_.quota.name(tables_.quota.root(node))
                                          : std::string_view();
  }

  void show_cluster_queue(const Value& queue) {
    const std::string_view name = objects::name_of(queue);
    const core::ClusterQueueId id = core::find_cluster_queue(tables_, name);
    if (id.is_none()) return;
    const core::PendingCounts pending = core::pending_counts(tables_, id);
    set(KueueGauge::pending_workloads, {name, replica_role, "active"},
        static_cast<double>(pending.active));
    set(KueueGauge::pending_workloads, {name, replica_role, "inadmissible"},
        static_cast<double>(pending.inadmissible));
    const QueueNumbers numbers = sources_.queues.numbers_of(name);
    set(KueueGauge::finished_workloads, {name, replica_role},
        static_cast<double>(numbers.finished));
    set(KueueGauge::reserving_active_workloads, {name, replica_role},
        static_cast<double>(numbers.reserving));
    set(KueueGauge::admitted_active_workloads, {name, replica_role},
        static_cast<double>(numbers.admitted));
    show_status(queue);
    if (scope_.cluster_queue_resources) {
      show_resources(queue, numbers);
      show_pending_resources(queue, id);
    }
    const QuotaNodeId node = tables_.cluster_queues[id].node;
    if (node.is_none() || tables_.quota.has_cycle(node)) return;
    const std::string_view cohort = queue["spec"]["cohortName"].string_or("");
    set(KueueGauge::cluster_queue_info, {name, cohort, replica_role, root_of(node)}, 1);
    if (!shares_fairly()) return;
    set(KueueGauge::cluster_queue_weighted_share, {name, cohort, replica_role},
        share_for_people(core::weighted_share(tables_, node)));
  }

  void show_status(const Value& queue) {
    const std::string_view name = objects::name_of(queue);
    const std::string_view now = objects::is_being_deleted(queue) ? "terminating"
                                 : sources_.queues.activity_of_cluster_queue(name).active
                                     ? "active"
                                     : "pending";
    for (const std::string_view status : {"pending", "active", "terminating"}) {
      set(KueueGauge::cluster_queue_status, {name, replica_role, status}, status == now ? 1 : 0);
    }
  }

  void show_resources(const Value& queue, const QueueNumbers& numbers) {
    const std::string_view name = objects::name_of(queue);
    const std::string_view cohort = queue["spec"]["cohortName"].string_or("");
    for (const View group : queue["spec"]["resourceGroups"].elements()) {
      for (const View flavor : group["flavors"].elements()) {
        const std::string_view flavor_name = flavor["name"].string_or("");
        for (const View quota : flavor["resources"].elements()) {
          const std::string_view resource = quota["name"].string_or("");
          const auto show = [&](KueueGauge gauge, double value) {
            set(gauge, {name, cohort, flavor_name, replica_role, resource}, value);
          };
          show(KueueGauge::cluster_queue_nominal_quota,
               amount_of(quota["nominalQuota"]).to_double());
          show(KueueGauge::cluster_queue_borrowing_limit, limit_of(quota["borrowingLimit"]));
          show(KueueGauge::cluster_queue_lending_limit, limit_of(quota["lendingLimit"]));
          show(KueueGauge::cluster_queue_resource_reservation,
               amount_in(numbers.reserved, flavor_name, resource));
          show(KueueGauge::cluster_queue_resource_usage,
               amount_in(numbers.used, flavor_name, resource));
        }
      }
    }
  }

  void show_pending_resources(const Value& queue, core::ClusterQueueId id) {
    const std::string_view name = objects::name_of(queue);
    for (const View group : queue["spec"]["resourceGroups"].elements()) {
      for (const View resource : group["coveredResources"].elements()) {
        set(KueueGauge::cluster_queue_resource_pending,
            {name, replica_role, resource.string_or("")}, 0);
      }
    }
    for (const core::Amount& each : core::pending_requests(tables_, id)) {
      const std::string_view resource = tables_.names.name(each.resource);
      set(KueueGauge::cluster_queue_resource_pending, {name, replica_role, resource},
          units_of(resource, each.amount));
    }
  }

  void show_local_queue(const Value& queue) {
    const ObjectKey key = objects::key_of(queue);
    const std::string owner_name(queue["spec"]["clusterQueue"].string_or(""));
    const Value owner = sources_.cache.find(resources::cluster_queues, {"", owner_name});
    const Activity of_owner = sources_.queues.activity_of_cluster_queue(owner_name);
    const bool is_active = activity_of(queue, owner ? &of_owner : nullptr).active;
    for (const std::string_view status : {"True", "False", "Unknown"}) {
      const bool is_so = status == (is_active ? "True" : "False");
      set(KueueGauge::local_queue_status, {status, key.name, key.name_space, replica_role}, is_so);
    }
    const QueueNumbers& numbers = sources_.queues.tally().of_local_queue(key);
    const auto show = [&](KueueGauge gauge, std::int64_t value) {
      set(gauge, {key.name, key.name_space, replica_role}, static_cast<double>(value));
    };
    show(KueueGauge::local_queue_finished_workloads, numbers.finished);
    show(KueueGauge::local_queue_reserving_active_workloads, numbers.reserving);
    show(KueueGauge::local_queue_admitted_active_workloads, numbers.admitted);
    show_local_resources(key, owner, numbers);
    const core::LocalQueueId id = core::find_local_queue(tables_, key.to_string());
    if (id.is_none()) return;
    const core::PendingCounts pending = core::pending_counts(tables_, id);
    set(KueueGauge::local_queue_pending_workloads,
        {key.name, key.name_space, replica_role, "active"}, static_cast<double>(pending.active));
    set(KueueGauge::local_queue_pending_workloads,
        {key.name, key.name_space, replica_role, "inadmissible"},
        static_cast<double>(pending.inadmissible));
    if (!tables_.admits_by_usage(tables_.local_queues[id].cluster_queue)) return;
    set(KueueGauge::local_queue_admission_fair_sharing_usage,
        {owner_name, key.name, key.name_space, replica_role}, tables_.usage_of(id));
  }

  void show_local_resources(const ObjectKey& key, View cluster_queue, const QueueNumbers& numbers) {
    for (const View group : cluster_queue["spec"]["resourceGroups"].elements()) {
      for (const View flavor : group["flavors"].elements()) {
        const std::string_view flavor_name = flavor["name"].string_or("");
        for (const View quota : flavor["resources"].elements()) {
          const std::string_view resource = quota["name"].string_or("");
          set(KueueGauge::local_queue_resource_reservation,
              {flavor_name, key.name, key.name_space, replica_role, resource},
              amount_in(numbers.reserved, flavor_name, resource));
          set(KueueGauge::local_queue_resource_usage,
              {flavor_name, key.name, key.name_space, replica_role, resource},
              amount_in(numbers.used, flavor_name, resource));
        }
      }
    }
  }

  void show_cohort(const std::string& name, const core::CohortRow& row) {
    const core::QuotaForest& quota = tables_.quota;
    if (quota.has_cycle(row.node)) return;
    const QuotaNodeId parent = quota.parent(row.node);
    set(KueueGauge::cohort_info,
        {name, parent.is_none() ? std::string_view() : std::string_view(quota.name(parent)),
         replica_role, quota.name(quota.root(row.node))},
        1);
    if (shares_fairly() && row.present) {
      set(KueueGauge::cohort_weighted_share, {name, replica_role},
          share_for_people(core::weighted_share(tables_, row.node)));
    }
    for (std::size_t i = 0; i < quota.cell_count(row.node); ++i) {
      const core::QuotaForest::Cell cell = quota.cell(row.node, i);
      if (cell.subtree <= 0) continue;
      show_pair(KueueGauge::cohort_subtree_quota, name, cell.flavor_resource, cell.subtree);
    }
    show_subtree(name, row.node);
  }

  // The sums over the queues below, whatever they have borrowed.
  void show_subtree(const std::string& name, QuotaNodeId node) {
    const core::QuotaForest& quota = tables_.quota;
    std::map<core::FlavorResourceId, std::int64_t> reserved;
    std::int64_t admitted = 0;
    for (const QuotaNodeId below : quota.subtree_of(node)) {
      if (!quota.is_cluster_queue(below)) continue;
      admitted += sources_.queues.tally().of_cluster_queue(quota.name(below)).admitted;
      for (std::size_t i = 0; i < quota.cell_count(below); ++i) {
        const core::QuotaForest::Cell cell = quota.cell(below, i);
        if (cell.usage > 0) reserved[cell.flavor_resource] += cell.usage;
      }
    }
    for (const auto& [pair, amount] : reserved) {
      show_pair(KueueGauge::cohort_subtree_resource_reservations, name, pair, amount);
    }
    set(KueueGauge::cohort_subtree_admitted_active_workloads, {name, replica_role},
        static_cast<double>(admitted));
  }

  void show_pair(KueueGauge gauge, const std::string& cohort, core::FlavorResourceId pair,
                 std::int64_t amount) {
    const std::string_view resource = tables_.names.name(tables_.flavor_resources.resource(pair));
    set(gauge,
        {cohort, tables_.flavors.key(tables_.flavor_resources.flavor(pair)), replica_role,
         resource},
        units_of(resource, amount));
  }

  // Why those who are not admitted are not.
  void show_unadmitted() {
    using Place = std::tuple<std::string, ObjectKey, std::string, std::string>;
    std::map<Place, std::int64_t> counts;
    for (const Value& workload : sources_.cache.all(resources::workloads)) {
      const View admitted = condition(workload, "Admitted");
      if (is_true(admitted) || is_true(condition(workload, "Finished"))) continue;
      if (objects::is_being_deleted(workload)) continue;
      const View reserved = condition(workload, "QuotaReserved");
      const ObjectKey key{std::string(objects::namespace_of(workload)),
                          std::string(workload["spec"]["queueName"].string_or(""))};
      const Value local = sources_.cache.find(resources::local_queues, key);
      ++counts[{std::string(local["spec"]["clusterQueue"].string_or("")), key,
                std::string(admitted["reason"].string_or("NoReservation")),
                is_true(reserved)
                    ? std::string()
                    : std::string(reserved["reason"].string_or("PendingEvaluation"))}];
    }
    std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> of_queues;
    for (const auto& [place, count] : counts) {
      const auto& [queue, key, reason, cause] = place;
      if (queue.empty()) continue;
      of_queues[{queue, reason, cause}] += count;
      if (!scope_.local_queues) continue;
      set(KueueGauge::local_queue_unadmitted_workloads,
          {queue, key.name, key.name_space, reason, replica_role, cause},
          static_cast<double>(count));
    }
    for (const auto& [place, count] : of_queues) {
      const auto& [queue, reason, cause] = place;
      set(KueueGauge::unadmitted_workloads, {queue, reason, replica_role, cause},
          static_cast<double>(count));
    }
  }

  const GaugeSources& sources_;
  const Tables& tables_;
  const MetricsScope scope_;
};

}  // namespace

MetricsScope metrics_scope(const core::ClusterState& state) {
  const View metrics = state.tables().configuration.source["metrics"];
  MetricsScope scope;
  scope.cluster_queue_resources = metrics["enableClusterQueueResources"].boolean_or(true);
  // Kueue reads a stanza that does not say `enable` as one that says false.
  if (const View local = metrics["localQueueMetrics"]) {
    scope.local_queues = local["enable"].boolean_or(false);
  }
  return scope;
}

void show_gauges(const GaugeSources& sources) {
  Display(sources).run();
}

std::vector<std::string> cohorts_above(const core::ClusterState& state,
                                       std::string_view cluster_queue) {
  const Tables& tables = state.tables();
  const core::ClusterQueueId id = core::find_cluster_queue(tables, cluster_queue);
  if (id.is_none() || tables.cluster_queues[id].node.is_none()) return {};
  QuotaNodeId node = tables.cluster_queues[id].node;
  if (tables.quota.has_cycle(node)) return {};
  std::vector<std::string> names;
  while (tables.quota.has_parent(node)) {
    node = tables.quota.parent(node);
    names.push_back(tables.quota.name(node));
  }
  return names;
}

}  // namespace muster::control
