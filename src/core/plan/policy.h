// Policy: the rules of a decision that are not in the objects it is made about: Kueue's
// Configuration, and what Muster has beside it. Without a Policy object everything is as in Kueue.
//
//   const Policy policy{.placement = Placement::none};
//   const Plan cycle = plan(state, policy);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/model/configuration.h"
#include "core/model/placement_mode.h"

namespace muster::core {

struct Explanation;

enum class Backfill : std::uint8_t {
  none,     // as the queueing strategy says
  reserve,  // a head that cannot start gets a reserved start; only what does not delay it may pass
};

// What the work that a victim would lose (since its last checkpoint) counts for.
enum class PreemptionCost : std::uint8_t {
  ignored,  // nothing: the order is Kueue's, down to the UID
  ties,     // among candidates that are equal for Kueue but for their UIDs
  first,    // before Kueue's order within a list of candidates
};

// Whether a workload is admitted whose pods a ResourceQuota of its namespace would reject.
enum class ResourceQuotas : std::uint8_t {
  ignored,    // as Kueue does: its job starts, and its pods are refused
  respected,  // it waits
};

struct Policy {
  Configuration kueue = {};
  Placement placement = Placement::pinned;
  bool places_unmanaged_pods = true;  // embedded: there is no other scheduler
  Backfill backfill = Backfill::none;
  PreemptionCost preemption_cost = PreemptionCost::ignored;
  ResourceQuotas resource_quotas = ResourceQuotas::respected;

  // Heads are looked at again even where nothing changed since their last answer. A running
  // scheduler need not; a document that lists every decision of every cycle does.
  bool retries_every_head = false;

  // Whoever fits once the victims of its cycle are gone is admitted beside them, as in Kueue, and
  // for a while there is more in use than there is. A running scheduler does not.
  bool admits_on_credit = false;

  // A pod set whose count is no multiple of its slice size gets places for its whole slices, as in
  // Kueue, and the pods beyond them have none. A running scheduler has it wait: half a gang is of
  // no use to anybody.
  bool drops_slice_remainders = false;

  // Among the heads of a cycle, whoever waits for its victims to stop goes first, as with Kueue's
  // gate PrioritizePreemptorWorkloads. Without, others come to what they leave, even they
  // themselves, and are preempted again, for ever.
  bool prefers_preemptors = true;
  bool lets_preemptors_go_first() const {
    return prefers_preemptors || kueue.gates.enabled(Gate::prioritize_preemptor_workloads);
  }

  // Who waits without being tried is told why as well: behind a head that blocks its queue, or with
  // others that ask for the same.
  bool tells_everyone = true;

  // Where to write what was tried and rejected on the way; null: nobody asked, and it costs
  // nothing.
  Explanation* explanation = nullptr;
};

}  // namespace muster::core
