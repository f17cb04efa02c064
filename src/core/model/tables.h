// Tables: the inside of ClusterState, for the phases of core alone. Rows by kind, arrays for what
// decisions read often, and the lists of what has to be looked at again. Each event takes the old
// object's effects out and puts the new one's in; nothing is derived from the order of events.
//
//   Tables& tables = state.tables();
//   const ClusterQueueRow& queue = tables.cluster_queues[id];
//
// Assumes: used on one thread; within plan() only through Trial.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/configuration.h"
#include "core/model/effective_requests.h"
#include "core/model/event.h"
#include "core/model/flavor_resource.h"
#include "core/model/gang_library.h"
#include "core/model/node_columns.h"
#include "core/model/pending_queue.h"
#include "core/model/quota_forest.h"
#include "core/model/quota_page.h"
#include "core/model/registry.h"
#include "core/model/resource_names.h"
#include "core/model/rows.h"
#include "core/model/topologies.h"
#include "core/model/trial.h"
#include "objects/resource.h"

namespace muster::core {

// Why a pending workload stands in no queue.
enum class Blocker : std::uint8_t {
  none,
  local_queue_missing,
  local_queue_stopped,
  cluster_queue_missing,
  cluster_queue_inactive,
};

// `team-a/train`, or the name alone for cluster-scoped kinds.
std::string row_key(objects::View object);
objects::ObjectKey object_key(std::string_view row_key);

class AssignmentPool;
struct Decision;

struct Tables {
  Instant now;
  Configuration configuration;  // Kueue's; set before the first event
  ResourceNames names;
  FlavorResources flavor_resources;
  QuotaForest quota{flavor_resources, names};
  Topologies topologies;
  NodeColumns free;  // allocatable − pods bound there − slots that no pod stands in yet
  UndoLog undo;
  std::shared_ptr<AssignmentPool> assignments;  // of the last cycle; null before the first
  std::int64_t released = 0;  // workloads that a trial has taken out (workload_usage.h)

  // Pods, and slots of gangs, that keep certain others at a distance (anti-affinity).
  std::int64_t distance_keepers = 0;
  std::int64_t discouraging_nodes = 0;  // with a taint PreferNoSchedule
  std::int64_t topology_flavors = 0;    // that name a topology, be it there or not
  // Loose pods, and gangs parked for want of a place, whom one pod more somewhere may help.
  std::int64_t company_seekers = 0;
  std::set<WorkloadId> gangs_seeking_company;

  Registry<FlavorId, FlavorRow> flavors;
  Registry<NamespaceId, NamespaceRow> namespaces;
  Registry<ClusterQueueId, ClusterQueueRow> cluster_queues;
  Registry<CohortId, CohortRow> cohorts;
  Registry<AdmissionCheckId, AdmissionCheckRow> admission_checks;
  Registry<LocalQueueId, LocalQueueRow> local_queues;
  Pool<Reservation> reservations;  // outlives the rows that have them
  Registry<WorkloadId, WorkloadRow> workloads;
  Registry<OwnerId, OwnerRow> owners;
  Registry<NodeId, NodeRow> nodes;
  Registry<PodId, PodRow> pods;

  // What requests depend on beside the workloads (request_rules.cc).
  std::map<std::string, std::map<std::string, objects::Value>> limit_ranges;  // by namespace, name
  std::map<std::string, LimitSummary, std::less<>> limit_summaries;           // by namespace
  Overheads overheads;
  std::uint64_t rules_version = 1;  // how often they changed, and the configuration

  // ResourceQuotas, the wall under the queues (quota_changes.cc).
  std::map<std::string, QuotaPage, std::less<>> quota_pages;  // by namespace; none without a quota
  std::map<std::string, std::int64_t> default_classes;  // PriorityClasses for all, by their value

  Claims claims;  // and the volumes and classes behind them

  // What has to be looked at. Keys order the work; the sets say what has_work().
  PendingQueues pending;
  // wake_tree() only notes the root of the tree, by name: who stands below it when the time comes
  // is woken.
  bool holds_retries = false;
  std::set<std::string> retry_cohorts;
  std::set<std::string> retry_queues;         // without a cohort
  std::vector<ClusterQueueId> unsaid_queues;  // with workloads that were told nothing
  std::int64_t cycle_count = 0;
  std::size_t not_ready_count = 0;  // hold quota and have pods that are not ready
  // Placed gangs of which pods or the admission changed: the flagged ones among these, in no order.
  std::vector<WorkloadId> bind_candidates;
  std::size_t bind_candidate_count = 0;
  std::set<std::pair<Instant, WorkloadId>> second_passes;   // by when they are due
  std::vector<ClusterQueueId> ready_queues;                 // have a head to try, in no order
  std::map<std::string, WorkloadId> waiting_for_place;      // parked for want of room on nodes
  std::map<std::string, WorkloadId> untold;                 // stranded or invalid, not yet said so
  std::map<std::string, WorkloadId> endangered;             // a node of theirs may have failed
  std::map<std::string, std::string> left;                  // of those: a pod that was told to go
  std::set<std::pair<Instant, std::string>> resting_until;  // keys of workloads in back-off
  std::set<std::pair<Instant, std::string>> loose_pods;     // unmanaged, unbound, by creation
  std::set<std::pair<Instant, std::string>> parked_pods;    // of those, the ones no node takes
  // On a node by another's word, neither received nor refused yet, by creation.
  std::set<std::pair<Instant, std::string>> arrived_pods;
  bool places_pods = true;       // else those three are somebody else's work
  std::set<PodId> leaving_pods;  // being deleted, still on their nodes
  // Placed gangs that were looked at and had a pod without its place: the node had failed, or was
  // not free yet. Those that were deleted may stand here too.
  std::set<WorkloadId> held_back;

  // Events, by kind.
  void apply_flavor(const Event& event);
  void apply_namespace(const Event& event);
  void apply_cluster_queue(const Event& event);
  void apply_cohort(const Event& event);
  void apply_admission_check(const Event& event);
  void apply_local_queue(const Event& event);
  void apply_topology(const Event& event);
  void apply_workload(const Event& event, std::uint32_t hash);  // as expect_key() gave it
  // Its row will be looked for soon; answers the hash by which `workloads` expects it then.
  std::uint32_t expect_key(const Event& event) const;
  // What its row refers to will be read soon; the row has been fetched by then. None: there is
  // none.
  WorkloadId expect_row(std::uint32_t hash) const;
  void expect_lists(WorkloadId id) const;    // and then what those refer to
  void expect_entries(WorkloadId id) const;  // and those
  void apply_node(const Event& event);
  void apply_pod(const Event& event);
  void apply_limit_range(const Event& event);
  void apply_runtime_class(const Event& event);
  void apply_resource_quota(const Event& event);
  void apply_priority_class(const Event& event);
  void apply_claim(const Event& event);
  void apply_volume(const Event& event);
  void apply_storage_class(const Event& event);
  void tick(Instant to);

  void forget_bind_candidates();

  // A topology counts without pods that are being deleted, as Kueue does: until they are gone there
  // may be less on the node than its slots stand for, and no kube-scheduler is there to wait.
  bool is_taken_by_leaving(NodeId node) const;

  void expect_successor(ClusterQueueId queue) const;
  // The decision will be assumed soon: what that reads is fetched meanwhile, each step when the one
  // before it was taken some time ago.
  void expect_assumption(const Decision& decision) const;
  void expect_lists(const Decision& decision) const;
  void expect_entries(const Decision& decision) const;

  // Assumptions (assumptions.cc).
  // `queue`: that which the admission names.
  void assume_admission(WorkloadId id, ClusterQueueId queue, Admission admission, bool is_admitted);
  void assume_evicted(WorkloadId id);
  void assume_requeued(const Decision& decision);
  // The message of the condition that is being written.
  void assume_unreached(WorkloadId id);
  void assume_told(WorkloadId id, std::string_view message);
  void assume_bound(PodId id, std::string_view node, std::string_view address);
  void assume_unbindable(PodId id, std::string_view message);
  void assume_refused(PodId id);
  void forget_workload(std::string_view key, std::string_view uid);
  void forget_pod(std::string_view key, std::string_view uid);

  // Questions.
  RequestRules request_rules(std::string_view name_space) const;
  Blocker blocker_of(LocalQueueId id) const;
  Blocker blocker_of(const WorkloadRow& row) const { return blocker_of(row.local_queue); }
  // Null: nothing there limits pods. By the name, or by the key of something in it.
  QuotaPage* quota_page(std::string_view name_space);
  QuotaPage* quota_page_of(std::string_view key);
  // Those of the gang that have not ended and are not being deleted, by pod set.
  std::vector<std::int64_t> standing_pods(const WorkloadRow& row) const;
  // What the answer to one is the answer to all of: equivalence, and what quotas see of it.
  std::uint64_t kind_of(const WorkloadRow& row) const;
  // Somebody waits where nobody is to be tried, and was not told why.
  bool has_unsaid() const;
  bool is_silent(ClusterQueueId queue) const;  // has such workloads
  // Where queues stand among all by name, by id; computed anew when queues came or went.
  const std::vector<std::uint32_t>& ranks_by_name();
  // Every node that somebody speaks of, by name.
  const std::vector<NodeId>& nodes_by_name();
  bool is_unsaid(WorkloadId id, ClusterQueueId queue) const;
  // A word to it is under way.
  bool is_being_told(WorkloadId id) const {
    return id.index() < being_told_.size() && being_told_[id.index()];
  }
  // The head that may be tried now: active, and no word to it is under way.
  WorkloadId head_of(ClusterQueueId queue) const;
  QueueTicket ticket_of(WorkloadId id) const;
  // In back-off, or told to wait for a change that somebody else makes.
  bool rests(const WorkloadRow& row) const;
  SearchMoment moment_of(WorkloadId workload, ClusterQueueId queue) const;
  // LocalQueues that used less go first in the queue (fair_admission.cc).
  bool admits_by_usage(ClusterQueueId queue) const;
  double usage_of(LocalQueueId id) const;
  // Changes whenever more may fit in the queue than before: its tree has other quota, or a
  // reservation left it.
  std::uint64_t allocatable_generation(const ClusterQueueRow& queue) const;
  bool has_failed(NodeId node) const;
  // The pods of the gang, whichever way they name it.
  std::vector<PodId> gang_pods(const WorkloadRow& row) const;
  // Index of the pod set in the workload's spec; nothing when it belongs to none.
  std::optional<std::uint32_t> pod_set_of(const WorkloadRow& row, const PodRow& pod) const;
  // Another slice of the same job has taken its place, and holds quota.
  bool is_replaced(WorkloadId id) const;
  // The Workload the pod belongs to; none when it belongs to none that is here.
  WorkloadId workload_of(const PodRow& pod) const;

  // As flavors.find(). Who asks for the same as the one before, as admissions of one cycle mostly
  // do, has it at once.
  FlavorId flavor_named(std::string_view name);
  // The pair under its id, which stays; none where there are too many (flavor_resources_max).
  FlavorResourceId flavor_resource(FlavorId flavor, ResourceId resource);

  void note_said(WorkloadId id);
  void sweep_unsaid();

  // Something changed that may let waiting workloads start.
  void wake(ClusterQueueId queue);
  void wake_tree(ClusterQueueId queue);  // all that share a cohort with it, however far up
  // While events of workloads are applied, trees are only noted and woken together before somebody
  // looks: a thousand workloads that end in a cohort of a thousand queues wake it once.
  void gather_wakes(bool gathers) { gathers_wakes_ = gathers; }
  void wake_noted();
  void stir(ClusterQueueId queue);  // its head is to be tried again
  void stir_tree(ClusterQueueId queue);
  void stir_trees(const std::vector<ClusterQueueId>& queues);  // each once
  void wake_for_places();
  void await_place(WorkloadId id);
  void note_company();  // a pod, or a slot for one, is new on a node
  void wake_active_trees();
  void retry_inadmissible();  // those that were held back
  // Everyone of the LocalQueues stands in the active set, in back-off or not: as when Kueue starts.
  void activate_all();

 private:
  FlavorId last_named_ = {};

  // quota_changes.cc
  std::string_view default_priority_class() const;
  void refresh_demand(WorkloadId id);
  void refresh_booking(WorkloadId id);
  void show_pod_to_quota(PodId id, std::string_view key, const std::vector<WorkloadId>& before);
  std::vector<WorkloadId> workloads_of(const PodRow& pod) const;
  void wake_at_quota(std::string_view key, QuotaPage& page);
  void fill_quota_page(const std::string& name_space);

  // request_rules.cc; an empty namespace: all.
  void read_workloads_again(std::string_view name_space);

  // fair_admission.cc
  void add_used(UsedAmounts& sum, ResourceId resource, std::int64_t amount) const;
  UsedAmounts used_by(LocalQueueId id) const;
  bool covers(const ClusterQueueRow& queue, ResourceId resource) const;
  void begin_usage(LocalQueueId id);
  void refresh_usage(LocalQueueId id);
  void charge_admission(WorkloadId id);
  void settle_admission(WorkloadId id);
  void forgive_admission(LocalQueueId queue, WorkloadId id);
  void sample_usage();

  // queue_changes.cc
  void enter_cluster_queue(ClusterQueueId id, const std::vector<ResourceGroup>& before);
  void leave_cluster_queue(ClusterQueueId id);
  void enter_references(ClusterQueueId id);
  std::vector<NodeQuota> quotas_of(const std::vector<ResourceGroup>& groups);
  void refresh_activity(ClusterQueueId id);
  void requeue_all_of(ClusterQueueId id);
  void requeue_all_of(LocalQueueId id);

  // cohort_changes.cc
  CohortId hold_cohort(std::string_view name);  // none for the empty name
  void release_cohort(CohortId id);
  void move_cohort(CohortId id, std::string_view parent);
  void wake_tree(QuotaNodeId node);
  void wake_below(QuotaNodeId node);
  void note_tree(QuotaNodeId root);

  // workload_changes.cc, reservation_changes.cc
  void enter(WorkloadId id);  // puts the row's effects in
  void leave(WorkloadId id);  // takes them out
  void enter_names(WorkloadId id);
  void leave_names(WorkloadId id);
  void list_in_queue(WorkloadId id, bool is_listed);
  void enter_reservation(WorkloadId id, ClusterQueueId in = {});  // none: looked for by name
  void leave_reservation(WorkloadId id);
  void enter_slots(WorkloadId id);
  void keep_room(WorkloadRow& row, Slot& slot, std::int64_t pods);
  void keep_room_for_set(WorkloadRow& row, std::uint32_t pod_set);
  void enqueue(WorkloadId id, bool parked);
  void note_unsaid(WorkloadId id);
  void expect_unsaid(ClusterQueueId queue) const;
  void requeue(WorkloadId id);  // to where it belongs now, if that is elsewhere
  bool takes_from(const ClusterQueueRow& queue, LocalQueueId local_queue) const;
  void plan_second_pass(WorkloadId id);
  void count_unready(WorkloadId id, bool counts);
  void dequeue(WorkloadId id);
  void set_telling(WorkloadId id, std::string_view message);  // empty: nothing is under way
  void end_telling(WorkloadId id);
  void refresh_ready(ClusterQueueId id);
  void expect_head(ClusterQueueId id) const;
  void show_workload(WorkloadId id, const objects::Value& object, const WorkloadParts& parts);
  void show_workload_again(WorkloadId id);  // without what was assumed, or by other rules
  void change_workload(WorkloadId id, const objects::Value& object, const WorkloadParts& parts,
                       Result<> result, Workload& read);
  bool keeps_reservation(WorkloadId id, const Workload& now) const;
  void renew_reservation(WorkloadId id, const objects::Value& object, const WorkloadParts& parts,
                         Workload& read);
  bool keeps_place(WorkloadId id, const WorkloadParts& parts, const Workload& now) const;
  void renew_place(WorkloadId id, const objects::Value& object, const WorkloadParts& parts,
                   Workload& read);
  void keep_search(WorkloadRow& row, const Workload& before) const;
  void remove_workload(WorkloadId id);

  // topology_changes.cc
  void enter_topologies(WorkloadId id);
  void leave_topologies(WorkloadId id);
  void renew_topology_holds();
  void note_node_change(NodeId id, const Node& before, bool was_present, bool was_valid);
  void wake_for_topologies();

  // A gang that has places may have pods to bind.
  void note_bind_candidate(WorkloadId id);
  bool is_held_back(WorkloadId id) const;
  void note_held_back();  // there may be room for them now
  void drop_bind_candidate(WorkloadId id);

  // Where workloads stand in the lists of their LocalQueues and of the queues that they hold quota
  // in. Beside the rows: leaving a list moves another one, whose row need not be fetched for that.
  std::uint32_t& place_in(std::vector<std::uint32_t>& places, WorkloadId id);
  std::vector<std::uint32_t> listed_places_;
  std::vector<std::uint32_t> reserving_places_;
  std::vector<ClusterQueueId> stale_unsaid_;  // whose last unsaid was told, or left
  std::vector<bool> being_told_;              // their rows' `telling` says what

  GangLibrary gangs_;
  bool gathers_wakes_ = false;
  std::vector<QuotaNodeId> noted_trees_;  // roots
  bool has_new_company_ = false;
  std::vector<std::uint8_t> is_noted_;      // by node
  std::vector<std::uint32_t> queue_ranks_;  // by ClusterQueueId
  std::uint64_t ranked_version_ = 0;        // of the names that they were made of
  std::vector<NodeId> named_nodes_;
  std::uint64_t named_version_ = 0;

  // node_changes.cc
  void add_to_node(NodeId node, const Amounts& amounts, std::int64_t times);
  void enter_pod(PodId id);
  void leave_pod(PodId id);
  void count_bound(const PodRow& pod, std::int64_t delta);
  void use_claims(std::string_view name_space, const ClaimNames& names, NodeId node,
                  std::int64_t change);
  void remember_address(NodeId node, const PodRow& pod);
  void look_at_loose(PodId id);
  void look_at_arrived(PodId id);
  void wake_pods();
  void endanger_gangs_on(NodeId node);
  void note_leaving(PodId pod);
};

}  // namespace muster::core
