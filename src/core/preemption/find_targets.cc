// SPDX-License-Identifier: Apache-2.0
#include "core/preemption/find_targets.h"

#include <algorithm>
#include <optional>

#include "core/plan/explanation.h"
#include "core/preemption/classical.h"
#include "core/preemption/fair_sharing.h"
#include "core/preemption/make_room.h"
#include "core/preemption/search.h"

namespace muster::core {
namespace {

class ClassicalSource final : public TargetSource {
 public:
  ClassicalSource(const Search& search, ClassicalCandidates& candidates, bool may_borrow)
      : search_(search), candidates_(candidates), may_borrow_(may_borrow) {
    candidates_.restart(may_borrow);
  }
  std::optional<Target> next() override { return candidates_.next(); }
  bool has_quota() override { return search_.has_quota(may_borrow_); }

 private:
  const Search& search_;
  ClassicalCandidates& candidates_;
  bool may_borrow_;
};

// Shares are compared with the preemptor's usage in the state; whether it fits, without.
class FairSource final : public TargetSource {
 public:
  FairSource(Search& search, FairCandidates& candidates)
      : search_(search), candidates_(candidates) {}
  std::optional<Target> next() override { return candidates_.next(); }
  bool has_quota() override {
    search_.give_for_preemptor();
    const bool has = search_.has_quota(true);
    search_.take_for_preemptor();
    return has;
  }

 private:
  Search& search_;
  FairCandidates& candidates_;
};

bool is_under_nominal(const Search& search) {
  return std::ranges::all_of(search.preemptor().contested, [&](FlavorResourceId pair) {
    return search.quota().usage(search.node(), pair) < search.quota().nominal(search.node(), pair);
  });
}

// Whether borrowing is allowed, in the order in which that is tried. With it fewer candidates may
// be taken, without it they must free more.
std::vector<bool> attempts(const Search& search, const ClassicalCandidates& candidates) {
  const bool forbids_borrowing = !may_borrow_within_cohort(search.queue().spec.preemption);
  if (candidates.none_in_other_queues() || (forbids_borrowing && !is_under_nominal(search))) {
    return {true};
  }
  if (forbids_borrowing && candidates.none_by_hierarchy()) return {false, true};
  return {true, false};
}

std::vector<Target> find_classical(Tables& tables, const Policy& policy, const Preemptor& preemptor,
                                   CandidateNotes* notes) {
  Search origin(tables, policy, preemptor);
  origin.write_notes_to(notes);
  ClassicalCandidates candidates(origin);
  for (const bool may_borrow : attempts(origin, candidates)) {
    Search search(tables, policy, preemptor);
    search.write_notes_to(notes);
    ClassicalSource source(search, candidates, may_borrow);
    if (auto targets = take_until_fit(search, source)) {
      put_back_unneeded(search, *targets, may_borrow);
      return *std::move(targets);
    }
  }
  return {};
}

std::vector<Target> find_fair(Tables& tables, const Policy& policy, const Preemptor& preemptor,
                              CandidateNotes* notes) {
  Search search(tables, policy, preemptor);
  search.write_notes_to(notes);
  search.look_at_shares();
  FairCandidates candidates(search);
  if (candidates.empty()) return {};
  search.take_for_preemptor();
  candidates.begin();
  FairSource source(search, candidates);
  auto targets = take_until_fit(search, source);
  if (!targets) return {};
  search.give_for_preemptor();
  put_back_unneeded(search, *targets, true);
  return *std::move(targets);
}

std::vector<Target> find(Tables& tables, const Policy& policy, const Preemptor& preemptor,
                         CandidateNotes* notes) {
  return tables.configuration.fair_sharing.enabled
             ? find_fair(tables, policy, preemptor, notes)
             : find_classical(tables, policy, preemptor, notes);
}

// Why nobody looked at a workload that holds quota.
std::string_view verdict_on(const Search& search, ClusterQueueId queue,
                            const CandidateEntry& candidate) {
  const Preemption& allowed = search.queue().spec.preemption;
  const bool is_own = queue == search.preemptor().queue;
  if (!search.is_useful(candidate)) return "OtherFlavors";
  if (!search.may_preempt(is_own ? allowed.within_cluster_queue : allowed.reclaim_within_cohort,
                          candidate)) {
    return "NotAllowed";
  }
  if (!is_own && search.is_within_nominal(search.tables().cluster_queues[queue].node)) {
    return "WithinNominal";
  }
  return "NotNeeded";
}

// Everybody in the tree who holds quota, by queue and within it in the order of preemption.
void explain(Tables& tables, const Policy& policy, const Preemptor& preemptor,
             const CandidateNotes& notes, const std::vector<Target>& targets) {
  const Search search(tables, policy, preemptor);
  std::vector<TriedCandidate>& tried = policy.explanation->of(preemptor.workload).candidates;
  std::vector<QuotaNodeId> open = {search.has_parent() ? search.quota().root(search.node())
                                                       : search.node()};
  while (!open.empty()) {
    const QuotaNodeId node = open.back();
    open.pop_back();
    for (const QuotaNodeId child : search.quota().children(node)) open.push_back(child);
    if (!search.quota().is_cluster_queue(node)) continue;
    const ClusterQueueId queue = search.quota().cluster_queue(node);
    for (const CandidateEntry& entry : tables.cluster_queues[queue].candidates) {
      const auto target = std::ranges::find(targets, entry.workload, &Target::workload);
      if (target != targets.end()) {
        tried.push_back({entry.workload, "Victim", reason_name(target->reason)});
        continue;
      }
      const auto noted = notes.find(entry.workload);
      tried.push_back({entry.workload,
                       noted != notes.end() ? noted->second : verdict_on(search, queue, entry)});
    }
  }
}

}  // namespace

std::vector<Target> find_targets(Tables& tables, Trial&, const Policy& policy,
                                 const Preemptor& preemptor) {
  if (policy.explanation == nullptr || preemptor.is_question) {
    return find(tables, policy, preemptor, nullptr);
  }
  CandidateNotes notes;
  std::vector<Target> targets = find(tables, policy, preemptor, &notes);
  explain(tables, policy, preemptor, notes, targets);
  return targets;
}

}  // namespace muster::core
