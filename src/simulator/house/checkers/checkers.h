// The invariants, one file each. The numbers are those of the reliability table in the design.
//
//   auto checkers = all_checkers(evidence, script);
//
//   states   every Workload in exactly one state, legal steps between them; ends never change (I8)
//   quota    never exceeded at an admission, equal to the sum over the admitted, 0 at the end (I4)
//   gangs    no process of a gang before every member has its place (I5)
//   slots    a node's capacity and every address have one owner, in the store and on machines (I6)
//   runs     nothing runs twice, no rank runs beside itself (I8)
//   reasons  whoever waits has a reason before long
//   orphans  nothing runs, and nothing is kept, that nobody wants any more (I15)
//   preemptions  only of those that the queues' policies allow, and not in turns for ever (I10)
//   shares   with fair sharing, equal queues that all wait have equal shares (I11)
//   order    the first of a StrictFIFO queue goes first (I12)
//   topologies  a gang that asks for one domain is in one (I16)
//   bounds   nothing grows beyond its maximum (I18)
//   progress after the trouble everything feasible ends, everything else waits with a reason (I7)
//
// The store's own promise (I1) is the witness's, that of the API server (I2, I3) the ApiLedger's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "simulator/house/checkers/checker.h"
#include "simulator/house/script.h"

namespace muster::simulator {

std::unique_ptr<Checker> make_states(Evidence& evidence);
std::unique_ptr<Checker> make_quota(Evidence& evidence);
std::unique_ptr<Checker> make_gangs(Evidence& evidence);
std::unique_ptr<Checker> make_slots(Evidence& evidence);
std::unique_ptr<Checker> make_runs(Evidence& evidence);
std::unique_ptr<Checker> make_reasons(Evidence& evidence);
std::unique_ptr<Checker> make_orphans(Evidence& evidence);
std::unique_ptr<Checker> make_preemptions(Evidence& evidence);
std::unique_ptr<Checker> make_shares(Evidence& evidence);
std::unique_ptr<Checker> make_order(Evidence& evidence);
std::unique_ptr<Checker> make_topologies(Evidence& evidence);
std::unique_ptr<Checker> make_bounds(Evidence& evidence);

// Whether every job has come to the end that the script says; for the world, which waits for it.
class Progress : public Checker {
 public:
  using Checker::Checker;

  // What is missing, in a sentence; empty when nothing is.
  virtual std::string missing() const = 0;
};
std::unique_ptr<Progress> make_progress(Evidence& evidence, const Script& script);

}  // namespace muster::simulator
