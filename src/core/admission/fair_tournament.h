// FairTournament: the order of a cycle's heads under fair sharing. In each cohort the nominees of
// its children are compared by the share that the child would have with the nominee admitted; the
// best goes up a level, until one is left at the root. What was dealt with changes the shares, so
// the next is asked for one at a time.
//
//   FairTournament tournament(tables, policy, entries);
//   while (auto at = tournament.next()) { process(entries[*at]); tournament.usage_changed(*at); }
//
// Assumes: usage as it stands in the cycle's trial. Heads of different trees do not compete: trees
// are dealt with in the order of their first queue's name. Of two heads of one queue (a second pass
// and an ordinary one) only the later takes part, as in Kueue.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/admission/fair_share.h"
#include "core/model/tables.h"
#include "core/plan/decision.h"
#include "core/plan/policy.h"

namespace muster::core {

class FairTournament {
 public:
  FairTournament(Tables& tables, const Policy& policy, std::span<const Decision> entries);

  std::optional<std::size_t> next();

  // The entry was dealt with and may have taken usage, or others were preempted for it.
  void usage_changed(std::size_t entry);

 private:
  // The entry's share at one level of its way up, with the entry admitted.
  struct Level {
    QuotaNodeId parent;  // whose children are compared
    FairShare share;
    bool borrows_what_it_asks = false;
  };

  struct Contender {
    std::size_t entry = 0;
    bool is_out = false;  // dealt with
    bool is_stale = true;
    QueueTicket ticket;
    std::vector<Level> levels;  // from the queue up
  };

  void refresh(Contender& contender);
  // The best of the cohort's children; none where nobody is left there.
  Contender* best_of(QuotaNodeId cohort);
  bool beats(const Contender& a, const Contender& b, QuotaNodeId cohort) const;
  static const Level& level_at(const Contender& contender, QuotaNodeId cohort);

  Tables& tables_;
  const Policy& policy_;
  std::span<const Decision> entries_;
  std::vector<Contender> contenders_;                              // by the name of the queue
  std::unordered_map<ClusterQueueId, std::size_t> of_queue_ = {};  // looked up only
  std::size_t first_ = 0;
};

}  // namespace muster::core
