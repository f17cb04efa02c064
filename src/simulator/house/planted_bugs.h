// The planted bugs that mutants.cc lists beside its own: failures that really happened elsewhere,
// in etcd (planted_store_bugs.cc) and in Kueue (planted_control_bugs.cc).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "objects/value.h"
#include "simulator/house/mutant_seams.h"
#include "simulator/house/seams.h"

namespace muster::simulator {

// A MutantApi between the controllers and the network.
Seams control_with(MutantApi::Rules rules);

// Controllers see every ClusterQueue differently, and write it back as it is.
Seams queues_seen_as(std::function<objects::Value(const objects::Value&)> wrong);

Seams forgiven_errors();
Seams backward_revision();
Seams lost_deletes();
Seams told_twice();
Seams back_in_time();
Seams stale_lists();
Seams lost_updates();

Seams overflown_requests();
Seams double_count();
Seams stale_quota();
Seams ruthless_queues();
Seams lenient_queues();
Seams leaked_quota();
Seams flat_topology();
Seams hasty_checks();
Seams unguarded_queues();
Seams stuck_preemptions();
Seams zombies();
Seams two_leaders();
Seams first_come();

}  // namespace muster::simulator
