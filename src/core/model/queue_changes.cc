// ClusterState, the part of flavors, namespaces and queues: what their events change in quota and
// in the standing of workloads.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/model/incarnation.h"
#include "core/model/queue_activity.h"
#include "core/model/tables.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::View;

std::string row_key(View object) {
  const std::string_view name_space = objects::namespace_of(object);
  if (name_space.empty()) return std::string(objects::name_of(object));
  std::string key(name_space);
  key += '/';
  key += objects::name_of(object);
  return key;
}

objects::ObjectKey object_key(std::string_view row_key) {
  const std::size_t slash = row_key.find('/');
  if (slash == std::string_view::npos) return {"", std::string(row_key)};
  return {std::string(row_key.substr(0, slash)), std::string(row_key.substr(slash + 1))};
}

namespace {

// Finds or makes the row of the event's object and holds it once more for the object itself when
// it comes, and once less when it goes. Answers what to do.
template <class IdType, class Row>
std::pair<IdType, Step> find_row(Registry<IdType, Row>& rows, const Event& event) {
  const std::string key = row_key(event.object);
  IdType id = rows.find(key);
  if (id.is_none()) {
    if (event.type == EventType::remove) return {id, Step::ignore};
    id = rows.hold(key);
    return {id, Step::update};
  }
  const Step step = next_step(rows[id], event);
  if (step == Step::update && !rows[id].present) rows.hold(id);
  return {id, step};
}

// Whether the parts that decisions depend on are as they were: queues report their counts in their
// own status, and that must not look like a change of the queue.
template <class Row>
bool means_the_same(const Row& row, const Event& event) {
  const View before = row.object;
  const View after = event.object;
  return before["spec"] == after["spec"] &&
         objects::annotations_of(before)[words::placement] ==
             objects::annotations_of(after)[words::placement] &&
         objects::is_being_deleted(before) == objects::is_being_deleted(after);
}

// True when there is nothing more to do for this event.
template <class Row>
bool only_looks_new(Row& row, Step step, const Event& event) {
  if (step != Step::update || !row.present || !means_the_same(row, event)) return false;
  const SeldomText invalid = row.invalid;
  take_identity(row, event);
  row.invalid = invalid;
  row.object = event.object;
  return true;
}

template <class Row>
void show(Row& row, const Event& event) {
  take_identity(row, event);
  row.object = event.object;
}

// Where it cannot be read it leads where it says, with the rest as by default.
void show_local_queue(LocalQueueRow& row, const Event& event) {
  auto read = read_local_queue(event.object);
  row.invalid.clear();
  if (read) {
    row.spec = *std::move(read);
    return;
  }
  row.invalid = read.error().to_string();
  row.spec = {};
  row.spec.cluster_queue = event.object["spec"]["clusterQueue"].string_or("");
  row.spec.stop_policy = StopPolicy::hold;
}

// A queue that opens asks all who wait for it, those in back-off too.
void activate_all_of(Tables& tables, LocalQueueId id) {
  for (const WorkloadId workload : tables.local_queues[id].workloads) {
    if (tables.workloads[workload].queued_in.is_none()) continue;
    tables.pending.unpark(workload);
    tables.stir(tables.workloads[workload].queued_in);
  }
}

template <class Row>
void clear(Row& row) {
  static_cast<Incarnation&>(row) = {};
  row.object = {};
}

}  // namespace

void Tables::apply_flavor(const Event& event) {
  const auto [id, step] = find_row(flavors, event);
  if (step == Step::ignore) return;
  FlavorRow& row = flavors[id];
  if (only_looks_new(row, step, event)) return;
  const View before = row.object["spec"];
  const View after = event.object["spec"];
  // What the pods must match changed: workloads that did not may do now.
  const bool matches_others =
      row.present && step != Step::remove &&
      (before["nodeLabels"] != after["nodeLabels"] || before["nodeTaints"] != after["nodeTaints"] ||
       before["tolerations"] != after["tolerations"]);
  const std::string topology = row.spec.topology_name;
  if (step == Step::remove) {
    clear(row);
    row.spec = {};
  } else {
    show(row, event);
    row.spec = read_resource_flavor(event.object);
  }
  topologies.forget_trees();
  topology_flavors += (row.spec.topology_name.empty() ? 0 : 1) - (topology.empty() ? 0 : 1);
  if (row.spec.topology_name != topology) renew_topology_holds();
  cluster_queues.for_each([&, id = id](ClusterQueueId queue, const ClusterQueueRow& queue_row) {
    const bool names_it = std::ranges::any_of(queue_row.groups, [&](const auto& group) {
      return std::ranges::any_of(group, [&](const GroupFlavor& f) { return f.flavor == id; });
    });
    if (!names_it) return;
    const bool was_active = queue_row.is_active;
    refresh_activity(queue);
    requeue_all_of(queue);
    if (matches_others || (queue_row.is_active && !was_active)) wake_tree(queue);
  });
  if (step == Step::remove) flavors.release(id);
}

FlavorId Tables::flavor_named(std::string_view name) {
  const bool is_last = !last_named_.is_none() && !name.empty() && flavors.key(last_named_) == name;
  if (!is_last) last_named_ = flavors.find(name);
  return last_named_;
}

void Tables::apply_namespace(const Event& event) {
  const auto [id, step] = find_row(namespaces, event);
  if (step == Step::ignore) return;
  NamespaceRow& row = namespaces[id];
  const Labels before = row.labels;
  const bool was_present = row.present;
  if (step == Step::remove) {
    static_cast<Incarnation&>(row) = {};
    row.labels.clear();
  } else {
    take_identity(row, event);
    row.labels = read_labels(objects::labels_of(event.object));
  }
  const auto matches = [](const ClusterQueueRow& queue, bool present, const Labels& labels) {
    return present && queue.spec.namespace_selector.matches_by(
                          [&](std::string_view key) { return find_label(labels, key); });
  };
  // A tree is woken once, however many of its queues the namespace may use from now on.
  const bool gathered = std::exchange(gathers_wakes_, true);
  cluster_queues.for_each([&](ClusterQueueId queue, const ClusterQueueRow& queue_row) {
    if (!queue_row.present || matches(queue_row, was_present, before)) return;
    if (matches(queue_row, row.present, row.labels)) wake_tree(queue);
  });
  gathers_wakes_ = gathered;
  if (!gathered) wake_noted();
  if (row.labels != before || row.present != was_present) wake_pods();
  if (step == Step::remove) namespaces.release(id);
}

FlavorResourceId Tables::flavor_resource(FlavorId flavor, ResourceId resource) {
  const std::size_t known = flavor_resources.size();
  const FlavorResourceId id = flavor_resources.intern(flavor, resource);
  if (flavor_resources.size() > known) flavors.hold(flavor);
  return id;
}

std::vector<NodeQuota> Tables::quotas_of(const std::vector<ResourceGroup>& groups) {
  std::vector<NodeQuota> quotas;
  for (const ResourceGroup& group : groups) {
    for (const FlavorQuota& flavor : group.flavors) {
      const FlavorId flavor_id = flavors.hold(flavor.flavor);
      for (const ResourceQuota& entry : flavor.quotas) {
        const FlavorResourceId pair = flavor_resource(flavor_id, entry.resource);
        if (pair.is_none()) continue;
        std::erase_if(quotas, [&](const NodeQuota& q) { return q.flavor_resource == pair; });
        quotas.push_back({pair, entry.nominal, entry.borrowing_limit, entry.lending_limit});
      }
      flavors.release(flavor_id);
    }
  }
  return quotas;
}

// The rows of flavors and checks that the queue names.
void Tables::enter_references(ClusterQueueId id) {
  ClusterQueueRow& row = cluster_queues[id];
  const std::vector<std::vector<GroupFlavor>> old_groups = std::move(row.groups);
  const std::vector<AdmissionCheckId> old_checks = std::move(row.checks);
  row.groups.clear();
  row.checks.clear();
  for (const ResourceGroup& group : row.spec.groups) {
    std::vector<GroupFlavor>& into = row.groups.emplace_back();
    for (const FlavorQuota& flavor : group.flavors) {
      GroupFlavor& entry = into.emplace_back();
      entry.flavor = flavors.hold(flavor.flavor);
      for (const ResourceId resource : group.covered) {
        entry.pairs.push_back(flavor_resource(entry.flavor, resource));
      }
    }
  }
  for (const AdmissionCheckId check : old_checks) admission_checks[check].cluster_queues.erase(id);
  for (const RequiredCheck& check : row.spec.checks) {
    row.checks.push_back(admission_checks.hold(check.name));
    admission_checks[row.checks.back()].cluster_queues.insert(id);
  }
  for (const auto& group : old_groups) {
    for (const GroupFlavor& flavor : group) flavors.release(flavor.flavor);
  }
  for (const AdmissionCheckId check : old_checks) admission_checks.release(check);
}

// The object is here for the first time, or changed. What its workloads hold stays where it is.
void Tables::enter_cluster_queue(ClusterQueueId id, const std::vector<ResourceGroup>& before) {
  ClusterQueueRow& row = cluster_queues[id];
  const bool is_new = row.node.is_none();
  if (is_new) row.node = quota.add_cluster_queue(id, cluster_queues.key(id));
  enter_references(id);
  const CohortId old_cohort = row.cohort;
  row.cohort = hold_cohort(row.spec.cohort);
  quota.set_parent(row.node, row.cohort.is_none() ? QuotaNodeId::none() : cohorts[row.cohort].node);
  if (!old_cohort.is_none()) release_cohort(old_cohort);
  if (is_new || before != row.spec.groups) quota.set_quotas(row.node, quotas_of(row.spec.groups));
  quota.set_fair_weight(row.node, row.spec.fair_weight);
  if (!is_new) return;
  for (const WorkloadId workload : row.reserving) {
    for (const FlavorUsage& hold : workloads[workload].reservation->holds) {
      quota.add_usage(row.node, hold.flavor_resource, hold.amount);
    }
    count_unready(workload, !workloads[workload].spec.are_pods_ready);
  }
}

void Tables::leave_cluster_queue(ClusterQueueId id) {
  ClusterQueueRow& row = cluster_queues[id];
  for (const WorkloadId workload : row.reserving) count_unready(workload, false);
  enter_references(id);  // names none any more
  quota.remove(row.node);
  row.node = QuotaNodeId::none();
  if (!row.cohort.is_none()) release_cohort(row.cohort);
  row.cohort = CohortId::none();
  row.is_active = false;
}

std::uint64_t Tables::allocatable_generation(const ClusterQueueRow& queue) const {
  return queue.node.is_none() ? queue.removals : queue.removals + quota.generation(queue.node);
}

void Tables::refresh_activity(ClusterQueueId id) {
  ClusterQueueRow& row = cluster_queues[id];
  row.is_active = activity_of(*this, id).is_active();
  if (!row.node.is_none()) quota.set_visible(row.node, row.is_active);
  refresh_ready(id);
}

void Tables::apply_cluster_queue(const Event& event) {
  const auto [id, step] = find_row(cluster_queues, event);
  if (step == Step::ignore) return;
  ClusterQueueRow& row = cluster_queues[id];
  if (only_looks_new(row, step, event)) return;
  const bool is_new = !row.present;
  if (!holds_retries) wake_tree(id);  // of the cohort that it leaves; Kueue does not
  const std::vector<ResourceGroup> before = std::move(row.spec.groups);
  row.spec = {};
  if (step == Step::remove) {
    clear(row);
    leave_cluster_queue(id);
  } else {
    show(row, event);
    auto read = read_cluster_queue(event.object, names);
    if (read) {
      row.spec = *std::move(read);
    } else {
      row.invalid = read.error().to_string();
    }
    enter_cluster_queue(id, before);
    refresh_activity(id);
    wake_tree(id);
  }
  requeue_all_of(id);
  if (is_new) {
    for (const LocalQueueId queue : row.local_queues) activate_all_of(*this, queue);
  }
  if (step == Step::remove) cluster_queues.release(id);
}

void Tables::apply_admission_check(const Event& event) {
  const auto [id, step] = find_row(admission_checks, event);
  if (step == Step::ignore) return;
  AdmissionCheckRow& row = admission_checks[id];
  if (step == Step::remove) {
    static_cast<Incarnation&>(row) = {};
    row.spec = {};
  } else {
    take_identity(row, event);
    row.spec = read_admission_check(event.object);
  }
  for (const ClusterQueueId queue : row.cluster_queues) {
    const bool was_active = cluster_queues[queue].is_active;
    refresh_activity(queue);
    if (cluster_queues[queue].is_active == was_active) continue;
    requeue_all_of(queue);
    if (!was_active) wake_tree(queue);
  }
  if (step == Step::remove) admission_checks.release(id);
}

void Tables::apply_local_queue(const Event& event) {
  const auto [id, step] = find_row(local_queues, event);
  if (step == Step::ignore) return;
  LocalQueueRow& row = local_queues[id];
  const bool leads_on =
      row.present && step != Step::remove &&
      row.spec.cluster_queue == event.object["spec"]["clusterQueue"].string_or("") &&
      objects::is_being_deleted(row.object) == objects::is_being_deleted(event.object) &&
      row.object["spec"]["stopPolicy"] == event.object["spec"]["stopPolicy"];
  if (leads_on) {
    show(row, event);
    show_local_queue(row, event);
    begin_usage(id);
    return;
  }
  // First out of the old queue, by the references as they are.
  for (const WorkloadId workload : row.workloads) dequeue(workload);
  if (row.present) {
    pending.set_usage(row.cluster_queue, id, 0);
    cluster_queues[row.cluster_queue].local_queues.erase(id);
    cluster_queues.release(row.cluster_queue);
    row.cluster_queue = ClusterQueueId::none();
  }
  if (step == Step::remove) {
    clear(row);
    row.spec = {};
    row.ledger = {};
  } else {
    show(row, event);
    show_local_queue(row, event);
    row.cluster_queue = cluster_queues.hold(row.spec.cluster_queue);
    cluster_queues[row.cluster_queue].local_queues.insert(id);
    begin_usage(id);
  }
  requeue_all_of(id);
  activate_all_of(*this, id);
  if (step == Step::remove) local_queues.release(id);
}

void Tables::requeue_all_of(ClusterQueueId id) {
  for (const LocalQueueId queue : cluster_queues[id].local_queues) {
    refresh_usage(queue);
    requeue_all_of(queue);
  }
}

void Tables::requeue_all_of(LocalQueueId id) {
  for (const WorkloadId workload : local_queues[id].workloads) requeue(workload);
}

Blocker Tables::blocker_of(LocalQueueId id) const {
  const LocalQueueRow& local_queue = local_queues[id];
  if (!local_queue.present) return Blocker::local_queue_missing;
  if (local_queue.spec.stop_policy != StopPolicy::none || local_queue.spec.is_being_deleted) {
    return Blocker::local_queue_stopped;
  }
  const ClusterQueueRow& queue = cluster_queues[local_queue.cluster_queue];
  if (!queue.present) return Blocker::cluster_queue_missing;
  return queue.is_active ? Blocker::none : Blocker::cluster_queue_inactive;
}

}  // namespace muster::core
