// The queues of those who wait, against a plain list that is searched from the front.
// SPDX-License-Identifier: Apache-2.0
#include "core/model/pending_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>

#include "core/preemption/candidate_index.h"

namespace muster::core {
namespace {

constexpr ClusterQueueId queue(3);

struct Waiting {
  QueueTicket ticket;
  bool is_active = true;
};

// What Kueue says, word for word: everyone in one list.
class PlainQueue {
 public:
  std::map<WorkloadId, Waiting> all;
  std::map<LocalQueueId, double> usage;
  std::set<std::uint64_t> parked_kinds;
  WorkloadId sticky;

  double usage_of(const QueueTicket& ticket) const {
    const auto found = usage.find(ticket.local_queue);
    return found == usage.end() ? 0 : found->second;
  }

  WorkloadId head() const {
    WorkloadId best;
    for (const auto& [id, waiting] : all) {
      if (waiting.is_active && (best.is_none() || goes_first(id, best))) best = id;
    }
    return best;
  }

  void park_equivalent(WorkloadId id) {
    const std::uint64_t kind = all.at(id).ticket.equivalence;
    parked_kinds.insert(kind);
    for (auto& [other, waiting] : all) {
      if (waiting.ticket.equivalence == kind) waiting.is_active = false;
    }
  }

 private:
  bool goes_first(WorkloadId a, WorkloadId b) const {
    const QueueTicket& left = all.at(a).ticket;
    const QueueTicket& right = all.at(b).ticket;
    if (usage_of(left) != usage_of(right)) return usage_of(left) < usage_of(right);
    if ((a == sticky) != (b == sticky)) return a == sticky;
    return stands_before(left, right);
  }
};

class PendingQueueTest : public ::testing::Test {
 protected:
  QueueTicket ticket(int name, std::uint64_t kind) {
    names_.push_back("w" + std::to_string(name));
    uids_.emplace_back(names_.back());
    return {.priority = static_cast<std::int64_t>(below(3)),
            .since = Instant{static_cast<std::int64_t>(below(4))},
            .uid = &uids_.back(),
            .key = &names_.back(),
            .equivalence = kind,
            .local_queue = LocalQueueId(static_cast<std::uint32_t>(below(3))),
            .uid_prefix = uid_head(uids_.back())};
  }

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  WorkloadId any() {
    auto at = plain_.all.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(below(plain_.all.size())));
    return at->first;
  }

  void enter() {
    const auto id = WorkloadId(static_cast<std::uint32_t>(below(40)));
    if (plain_.all.contains(id)) return;
    const QueueTicket made = ticket(made_++, 1 + below(4));
    const std::uint64_t way = below(3);
    if (way == 0) {
      pending_.enter_parked(queue, id, made);
      plain_.all[id] = {made, false};
    } else if (pending_.is_parked_kind(queue, made.equivalence)) {
      pending_.enter_with_kind(queue, id, made);
      plain_.all[id] = {made, false};
    } else {
      pending_.enter(queue, id, made);
      plain_.all[id] = {made, true};
    }
  }

  void step() {
    const std::uint64_t what = below(10);
    if (what < 4 || plain_.all.empty()) return enter();
    const WorkloadId id = any();
    if (what == 4) {
      pending_.leave(id);
      plain_.all.erase(id);
      if (plain_.sticky == id) plain_.sticky = WorkloadId::none();
    } else if (what == 5) {
      pending_.park(id);
      plain_.all.at(id).is_active = false;
    } else if (what == 6) {
      pending_.unpark(id);
      plain_.all.at(id).is_active = true;
    } else if (what == 7) {
      pending_.park_equivalent(id, "");
      plain_.park_equivalent(id);
    } else if (what == 8) {
      const auto barred = LocalQueueId(static_cast<std::uint32_t>(below(4)));
      pending_.wake(
          queue, [&](LocalQueueId lane) { return lane != barred; },
          [](WorkloadId) { return true; });
      plain_.parked_kinds.clear();
      for (auto& [other, waiting] : plain_.all) {
        if (waiting.ticket.local_queue != barred) waiting.is_active = true;
      }
    } else if (below(2) == 0) {
      pending_.set_preemptor(id, {.generation = 1, .is_sticky = true});
      plain_.sticky = id;
    } else {
      const auto local_queue = LocalQueueId(static_cast<std::uint32_t>(below(3)));
      const auto usage = static_cast<double>(below(3));
      pending_.set_usage(queue, local_queue, usage);
      plain_.usage[local_queue] = usage;
    }
  }

  void expect_same() {
    std::size_t active = 0;
    for (const auto& [id, waiting] : plain_.all) {
      active += waiting.is_active ? 1 : 0;
      ASSERT_EQ(pending_.place_of(id),
                waiting.is_active ? PendingPlace::active : PendingPlace::inadmissible);
    }
    ASSERT_EQ(pending_.active_count(queue), active);
    ASSERT_EQ(pending_.inadmissible_count(queue), plain_.all.size() - active);
    ASSERT_EQ(pending_.head(queue), plain_.head());
    for (std::uint64_t kind = 1; kind < 5; ++kind) {
      ASSERT_EQ(pending_.is_parked_kind(queue, kind), plain_.parked_kinds.contains(kind));
    }
  }

  PendingQueues pending_;
  PlainQueue plain_;
  std::deque<std::string> names_;
  std::deque<std::string_view> uids_;
  int made_ = 0;
  std::mt19937_64 random_;
};

TEST_F(PendingQueueTest, lanes_and_heaps_say_what_a_plain_list_says) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    random_.seed(seed);
    pending_ = {};
    plain_ = {};
    for (int i = 0; i < 300; ++i) {
      step();
      expect_same();
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(PendingQueueTest, a_preemptor_is_one_of_the_generation_that_was_tried) {
  pending_.enter(queue, WorkloadId(1), ticket(1, 1));
  pending_.set_preemptor(WorkloadId(1), {.generation = 4, .is_sticky = false});
  ASSERT_TRUE(pending_.preemptor(WorkloadId(1)));
  EXPECT_EQ(pending_.preemptor(WorkloadId(1))->generation, 4);
  pending_.leave(WorkloadId(1));
  EXPECT_FALSE(pending_.preemptor(WorkloadId(1)));
}

}  // namespace
}  // namespace muster::core
