// The rows of the state's tables: one struct per kind of object, with what was read from it and
// what follows from it. Rows refer to each other by held ids (registry.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "core/admission/last_tried.h"
#include "core/model/flavor_resource.h"
#include "core/model/ids.h"
#include "core/model/member_list.h"
#include "core/model/pool.h"
#include "core/model/quota_page.h"
#include "core/model/read_admission_check.h"
#include "core/model/read_cluster_queue.h"
#include "core/model/read_cohort.h"
#include "core/model/read_local_queue.h"
#include "core/model/read_node.h"
#include "core/model/read_pod.h"
#include "core/model/read_resource_flavor.h"
#include "core/model/read_workload.h"
#include "core/model/scheduling_terms.h"
#include "core/model/seldom.h"
#include "core/model/seldom_text.h"
#include "core/model/short_list.h"
#include "core/model/topology_usage.h"
#include "core/model/usage_ledger.h"
#include "core/preemption/candidate_index.h"
#include "objects/value.h"

namespace muster::core {

// Which object a row holds at the moment. A row without one is only a name that others speak of.
struct Incarnation {
  bool present = false;
  std::string uid = {};
  std::uint64_t revision = 0;
  SeldomText invalid = {};  // why the object cannot be read; empty when it can
};

struct FlavorRow : Incarnation {
  objects::Value object;
  ResourceFlavor spec;
};

struct NamespaceRow : Incarnation {
  Labels labels;
};

// A flavor of a resource group, with the pairs that it makes with the covered resources.
struct GroupFlavor {
  FlavorId flavor;
  std::vector<FlavorResourceId> pairs;  // in the order of the covered resources
};

struct ClusterQueueRow : Incarnation {
  objects::Value object;
  ClusterQueue spec;
  std::vector<std::vector<GroupFlavor>> groups;  // by resource group and flavor
  QuotaNodeId node;                              // none while the object is not here
  CohortId cohort;
  std::vector<AdmissionCheckId> checks;  // in the order of spec.checks
  bool is_active = false;                // takes part in decisions (queue_activity.h)
  std::uint64_t removals = 0;            // how often a reservation left, for allocatable_generation
  std::set<LocalQueueId> local_queues;
  MemberList<WorkloadId> reserving;  // hold quota here
  CandidateIndex candidates;         // the same, in the order of preemption

  // Something changed since its head was tried last.
  bool is_stirred = false;

  // Wait here and were never told why; some of them may have left.
  std::vector<WorkloadId> unsaid;
  std::uint32_t ready_position = not_ready;  // in Tables::ready_queues

  static constexpr std::uint32_t not_ready = UINT32_MAX;
};

// A Cohort that is only named is there all the same, without quota of its own.
struct CohortRow : Incarnation {
  objects::Value object;
  Cohort spec;
  QuotaNodeId node;
  CohortId parent;
};

struct AdmissionCheckRow : Incarnation {
  objects::Value object;
  AdmissionCheck spec;
  std::set<ClusterQueueId> cluster_queues;  // that name it
};

struct LocalQueueRow : Incarnation {
  objects::Value object;
  LocalQueue spec;
  ClusterQueueId cluster_queue;
  MemberList<WorkloadId> workloads;  // that name it and are not finished
  UsageLedger ledger;
};

// Room for pods of one pod set on one node, as an admission has it. Room that no pod of the gang
// stands in yet is taken from the node all the same.
struct Slot {
  NodeId node;
  std::uint32_t pod_set = 0;  // index in the spec
  std::int64_t count = 0;
  std::int64_t bound = 0;  // pods of the gang there that have not ended
  std::int64_t kept = 0;   // room that is taken from the node for pods that are still to come
};

//                    ┌───────────── its queue changes ─────────────┐
//                    ▼                                             │
//   absent ──► stranded ──► waiting ──► reserved ──► (reservation cleared) waiting
//                               │           └──► finished
//   invalid                     └── resting: gate, hold, not active
enum class Standing : std::uint8_t {
  absent,
  invalid,   // cannot be read
  resting,   // does not ask to be admitted now
  stranded,  // its LocalQueue does not take it, or has no ClusterQueue
  waiting,   // in PendingQueues, active or inadmissible
  reserved,
  finished,
};

// What a workload that holds quota has taken.
struct Reservation {
  Usage holds;
  CandidateEntry candidate;   // as its queue's index has it
  std::int64_t released = 0;  // not zero: a trial has taken its usage out of the state
  ShortList<Slot, 1> slots;   // in the order of pod sets and ranks
  std::vector<TopologyHold> topology_holds;
};

// There are more of these than of anything else, and most of them wait: what those do not have lies
// elsewhere, and small members stand together.
struct WorkloadRow {
  objects::Value object;  // as it was last seen
  // Parts of it, and what it says whatever is assumed, so that nobody walks through it to compare.
  objects::Node pod_sets = {};     // spec.podSets
  objects::Node reclaimable = {};  // status.reclaimablePods
  std::string_view uid = {};       // metadata.uid
  std::uint64_t uid_head = 0;      // the first bytes of it, for most ties
  std::uint64_t revision = 0;
  SeldomText invalid = {};  // as in Incarnation
  SeldomText telling;       // the message of the wait that is being written; empty: none

  Workload spec;
  std::shared_ptr<const QuotaDemand> quota_demand;  // null: no ResourceQuota is in its way
  std::uint64_t rules_version = 0;                  // by which it was read
  Seldom<std::set<PodId>> pods;                     // that name it
  Pooled<Reservation> reservation;

  LastTried last_tried;                        // flavors, by earlier cycles
  std::string_view waits_for = {};             // the cause of its last wait
  std::optional<Instant> second_pass_at = {};  // while it needs a second pass
  int second_pass_tries = 0;

  NamespaceId name_space;
  LocalQueueId local_queue;
  OwnerId owner;
  ClusterQueueId queued_in;  // while waiting
  ClusterQueueId reserved_in;

  bool present = false;  // as in Incarnation
  Standing standing = Standing::absent;
  bool shows_reservation = false;  // QuotaReserved=True
  bool shows_admitted = false;     // Admitted=True

  // At most one write of ours is under way for a workload: an admission, an eviction or a reason to
  // wait (`telling`). It ends when the object shows it or forget() says that it was refused; only
  // then the workload is decided about again, so that a refusal can be told from the next decision.
  bool assumed = false;  // the row shows an admission that is being written
  bool assumed_evicted = false;
  bool is_wanted_gone = false;  // by a preemptor, which waits until the admission is written

  bool is_unsaid = false;           // in its queue's `unsaid`
  bool is_counted_unready = false;  // in Tables::not_ready_count
  bool is_bind_candidate = false;   // in Tables::bind_candidates
};

// The job that a Workload and pods name as their owner.
struct OwnerRow {
  std::set<WorkloadId> workloads;
  std::set<PodId> pods;  // that do not name a Workload
};

// The last address that a node gave: that of its youngest pod, so that no order of events matters.
struct LastAddress {
  Instant created;
  std::uint32_t address = 0;
};

struct NodeRow : Incarnation {
  Node spec;
  std::set<PodId> pods;  // bound there
  std::optional<LastAddress> last_address;
};

struct PodRow : Incarnation {
  objects::Value object;
  Pod spec;
  NodeId node;          // bound there, or assumed to be
  std::string address;  // in use on the node

  // The write of ours that is under way, as for a workload.
  std::optional<std::string> assumed_node = {};
  std::string assumed_address;
  bool assumed_refused = false;
  SeldomText telling;        // the message of PodScheduled=False
  bool wakes_later = false;  // it was woken while that was being written
  WorkloadId workload;       // that it names
  OwnerId owner;             // where it names no Workload
  bool counted = false;      // its requests are taken from the node
  bool is_seeker = false;    // it is among Tables::company_seekers
};

}  // namespace muster::core
