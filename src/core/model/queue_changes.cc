// ClusterState, the part of flavors, namespaces and queues: what their events change in quota and
// in the standing of workloads.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/model/incarnation.h"
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
  const std::string invalid = row.invalid;
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
  if (step == Step::remove) {
    clear(row);
    row.spec = {};
  } else {
    show(row, event);
    row.spec = read_resource_flavor(event.object);
  }
  cluster_queues.for_each([&, id = id](ClusterQueueId queue, const ClusterQueueRow& queue_row) {
    const bool names_it = std::ranges::any_of(queue_row.cells, [&](const auto& group) {
      return std::ranges::any_of(group, [&](const FlavorCells& c) { return c.flavor == id; });
    });
    if (names_it) requeue_all_of(queue);
  });
  if (step == Step::remove) flavors.release(id);
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
  if (row.labels != before || row.present != was_present) wake_all();
  if (step == Step::remove) namespaces.release(id);
}

void Tables::give_cells(ClusterQueueId id) {
  ClusterQueueRow& row = cluster_queues[id];
  std::size_t count = 0;
  for (const ResourceGroup& group : row.spec.groups) {
    count += group.covered.size() * group.flavors.size();
  }
  row.cell_count = static_cast<std::uint32_t>(count);
  row.first_cell = quota.allocate(row.cell_count);
  std::uint32_t next = row.first_cell;
  for (const ResourceGroup& group : row.spec.groups) {
    std::vector<FlavorCells>& cells = row.cells.emplace_back();
    for (const FlavorQuota& flavor : group.flavors) {
      cells.push_back({flavors.hold(flavor.flavor), next});
      for (const std::int64_t nominal : flavor.nominal) quota.nominal[next++] = nominal;
    }
  }
  for (const WorkloadId workload : row.reserving) {
    for (const Hold& hold : workloads[workload].holds) {
      const auto cell = cell_of(row, hold.flavor, hold.resource);
      if (cell) shift(quota.usage[*cell], hold.amount);
    }
  }
}

void Tables::take_cells(ClusterQueueId id) {
  ClusterQueueRow& row = cluster_queues[id];
  quota.free(row.first_cell, row.cell_count);
  row.cell_count = 0;
  for (const auto& group : row.cells) {
    for (const FlavorCells& cells : group) flavors.release(cells.flavor);
  }
  row.cells.clear();
}

std::optional<std::uint32_t> Tables::cell_of(const ClusterQueueRow& queue, FlavorId flavor,
                                             ResourceId resource) const {
  for (std::size_t g = 0; g < queue.cells.size(); ++g) {
    const std::vector<ResourceId>& covered = queue.spec.groups[g].covered;
    const auto at = std::ranges::find(covered, resource);
    if (at == covered.end()) continue;
    for (const FlavorCells& cells : queue.cells[g]) {
      if (cells.flavor != flavor) continue;
      return cells.first + static_cast<std::uint32_t>(at - covered.begin());
    }
  }
  return std::nullopt;
}

void Tables::apply_cluster_queue(const Event& event) {
  const auto [id, step] = find_row(cluster_queues, event);
  if (step == Step::ignore) return;
  ClusterQueueRow& row = cluster_queues[id];
  if (only_looks_new(row, step, event)) return;
  if (row.present) take_cells(id);
  row.spec = {};
  if (step == Step::remove) {
    clear(row);
  } else {
    show(row, event);
    auto read = read_cluster_queue(event.object, names);
    if (read) {
      row.spec = *std::move(read);
    } else {
      row.invalid = read.error().to_string();
    }
    give_cells(id);
  }
  requeue_all_of(id);
  if (step == Step::remove) cluster_queues.release(id);
}

void Tables::apply_local_queue(const Event& event) {
  const auto [id, step] = find_row(local_queues, event);
  if (step == Step::ignore) return;
  LocalQueueRow& row = local_queues[id];
  if (only_looks_new(row, step, event)) return;
  // First out of the old queue, by the references as they are.
  for (const WorkloadId workload : row.workloads) dequeue(workload);
  if (row.present) {
    cluster_queues[row.cluster_queue].local_queues.erase(id);
    cluster_queues.release(row.cluster_queue);
    row.cluster_queue = ClusterQueueId::none();
  }
  if (step == Step::remove) {
    clear(row);
  } else {
    show(row, event);
    const View spec = event.object["spec"];
    row.cluster_queue = cluster_queues.hold(spec["clusterQueue"].string_or(""));
    cluster_queues[row.cluster_queue].local_queues.insert(id);
    row.stop_policy = read_stop_policy(spec["stopPolicy"]);
    row.is_being_deleted = objects::is_being_deleted(event.object);
  }
  requeue_all_of(id);
  if (step == Step::remove) local_queues.release(id);
}

void Tables::requeue_all_of(ClusterQueueId id) {
  for (const LocalQueueId queue : cluster_queues[id].local_queues) requeue_all_of(queue);
}

void Tables::requeue_all_of(LocalQueueId id) {
  for (const WorkloadId workload : local_queues[id].workloads) {
    dequeue(workload);
    enqueue(workload, false);
  }
}

bool Tables::is_active(const ClusterQueueRow& queue) const {
  if (!queue.present || !queue.invalid.empty() || queue.spec.is_being_deleted) return false;
  if (queue.spec.stop_policy != StopPolicy::none) return false;
  return std::ranges::all_of(queue.cells, [&](const auto& group) {
    return std::ranges::all_of(
        group, [&](const FlavorCells& cells) { return flavors[cells.flavor].present; });
  });
}

Blocker Tables::blocker_of(const WorkloadRow& row) const {
  const LocalQueueRow& local_queue = local_queues[row.local_queue];
  if (!local_queue.present) return Blocker::local_queue_missing;
  if (local_queue.stop_policy != StopPolicy::none || local_queue.is_being_deleted) {
    return Blocker::local_queue_stopped;
  }
  const ClusterQueueRow& queue = cluster_queues[local_queue.cluster_queue];
  if (!queue.present) return Blocker::cluster_queue_missing;
  return is_active(queue) ? Blocker::none : Blocker::cluster_queue_inactive;
}

}  // namespace muster::core
