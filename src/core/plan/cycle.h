// Cycle: the work of one plan(), handed from phase to phase. Each phase is a function in a file of
// its own; what it decides goes into the plan, what it takes goes into the trial.
//
//   Cycle cycle(tables, policy);
//   evict_failed_nodes(cycle);  tell_stranded(cycle);
//   nominate(cycle, heads_of(cycle));  process_all(cycle);
//   tell_waiting(cycle);  bind(cycle);  receive(cycle);  place_unmanaged(cycle);
//
// Assumes: the trial of the cycle is never committed; the state is as it was when the cycle ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/admission/admission_usage.h"
#include "core/model/tables.h"
#include "core/model/trial.h"
#include "core/placement/place_gang.h"
#include "core/plan/plan.h"

namespace muster::core {

struct Cycle {
  Cycle(Tables& state, const Policy& rules) : tables(state), policy(rules), trial(state.undo) {}

  Tables& tables;
  const Policy& policy;
  Trial trial;
  Plan plan = {};
  std::vector<Decision> entries = {};       // nominated
  std::vector<Decision> inadmissible = {};  // that met an objection before quota was asked
  std::vector<WorkloadId> preempted = {};   // victims of this cycle's preemptors, each once
  // Taken in the trial by those for whom the victims go.
  std::vector<std::pair<ClusterQueueId, AdmissionUsage>> on_credit = {};
  std::set<std::string> evicted = {};                           // keys, in this cycle
  std::map<NodeId, std::vector<std::uint32_t>> addresses = {};  // given in this cycle
  bool keeps_room = false;                                      // keep_room() was called
  std::map<WorkloadId, AdmissionUsage> kept = {};  // for heads that nobody is preempted for
  bool took_places = false;                        // some gang was placed
  PlaceMemory places = {};                         // what is placed in this cycle stays
  std::vector<GangPart> parts = {};                // of the gang that is being placed
  GangPlacement placed = {};                       // and where to
  std::map<WorkloadId, bool> hopes = {};           // what has_hope() has found
  std::map<std::string, QuotaPage::Totals> quota_taken = {};  // in this cycle, by namespace
  std::set<std::string> claims_taken = {};  // of one node or pod, by who was placed in this cycle
  std::size_t not_ready = 0;                // admitted in this cycle, so without ready pods
};

// A workload to be tried, with the queue it is tried in.
struct Head {
  WorkloadId workload;
  ClusterQueueId queue;
};

void evict_failed_nodes(Cycle& cycle);
void tell_stranded(Cycle& cycle);
void tell_waiting(Cycle& cycle);
std::vector<Head> heads_of(const Cycle& cycle);
void nominate(Cycle& cycle, const std::vector<Head>& heads);
void process_all(Cycle& cycle);
void keep_room(Cycle& cycle);  // once, before the first gang is placed
void bind(Cycle& cycle);
void receive(Cycle& cycle);
void place_unmanaged(Cycle& cycle);

Placement placement_in(const Cycle& cycle, ClusterQueueId queue);

// Places the gang of an entry whose quota fits, where its queue wants that. Takes room in the
// trial; answers what stands in the way.
std::optional<Reason> place_entry(Cycle& cycle, Trial& trial, Decision& entry);

// The same once those who leave are gone: the victims of this cycle, those of the entry, and pods
// that are being deleted. Takes nothing.
std::optional<Reason> place_later(Cycle& cycle, const Decision& entry);
void give_leaving_room(Cycle& cycle, Trial& trial, const Decision& entry);

// Whether a ResourceQuota of its namespace would reject the entry's pods (meet_quota.cc), those of
// its victims being gone; and its part, once it is admitted.
std::optional<Reason> quota_objection(const Cycle& cycle, const Decision& entry);
void take_of_quota(Cycle& cycle, const Decision& entry);

// `backfill: reserve` (backfill.cc). Whether admitting the entry now would make the first workload
// of its queue start later than it could.
bool delays_first(Cycle& cycle, const Decision& entry);
// Heads that wait for quota get a reserved start, and of those behind a head that blocks its queue
// the first that does not delay it is admitted.
void backfill(Cycle& cycle);

// Whether empty nodes could take the gang (hope.cc); true where nodes play no part.
bool has_hope(Cycle& cycle, WorkloadId id, ClusterQueueId queue);

// Claims that one node or one pod uses at a time are used by the next cycle's reckoning only: who
// shares one with somebody of this cycle waits for that (claims_taken.cc).
bool are_claims_taken(const Cycle& cycle, std::string_view name_space, const ClaimNames& names);
void take_claims(Cycle& cycle, std::string_view name_space, const ClaimNames& names);

// Whether no check and no topology will be outstanding once the entry is admitted.
bool is_admitted_at_once(const Tables& tables, const Decision& entry);

// What the pod is given when it gets its place on the node: words::no_address on the machine's own
// network, and where the node gives none.
std::string take_address(Cycle& cycle, const PodRow& pod, NodeId node);

Action action_on(const Cycle& cycle, Action::Type type, WorkloadId workload);
Action action_on(const Cycle& cycle, Action::Type type, PodId pod);

}  // namespace muster::core
