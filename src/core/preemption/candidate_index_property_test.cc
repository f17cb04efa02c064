// The index is a sorted list, whatever is put in and taken out.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/preemption/candidate_index.h"
#include "tests/plan/dice.h"

namespace muster::core {
namespace {

bool before(const CandidateEntry& a, const CandidateEntry& b) {
  return std::tuple(!a.is_evicted, a.priority, a.workload) <
         std::tuple(!b.is_evicted, b.priority, b.workload);
}

std::vector<CandidateEntry> entries(const CandidateIndex& index) {
  std::vector<CandidateEntry> list;
  for (const CandidateEntry& each : index) list.push_back(each);
  return list;
}

RC_GTEST_PROP(candidate_index, is_a_sorted_list, ()) {
  Dice dice(*rc::gen::container<std::vector<std::uint32_t>>(
      1000, rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(0, 9240))));
  CandidateIndex index;
  std::vector<CandidateEntry> list;
  for (std::uint32_t number = 0; !dice.is_empty(); ++number) {
    if (!list.empty() && dice.below(3) == 0) {
      const auto at = dice.below(static_cast<std::int64_t>(list.size()));
      index.erase(list[static_cast<std::size_t>(at)], before);
      list.erase(list.begin() + at);
      continue;
    }
    const CandidateEntry entry{.priority = dice.below(5),
                               .workload = WorkloadId(number),
                               .is_evicted = dice.below(4) == 0};
    index.insert(entry, before);
    list.insert(std::ranges::lower_bound(list, entry, before), entry);
  }
  RC_ASSERT(entries(index) == list);
  RC_ASSERT(index.size() == list.size());
  const auto evicted = std::ranges::count(list, true, &CandidateEntry::is_evicted);
  RC_ASSERT(index.evicted() == static_cast<std::size_t>(evicted));
  auto at = index.begin();
  for (std::size_t i = 0; i < list.size(); ++i, ++at) RC_ASSERT(index.at(i) == at);
  RC_ASSERT(index.at(list.size()) == index.end());
  for (const CandidateEntry& each : list) index.erase(each, before);
  RC_ASSERT(index.begin() == index.end());
}

TEST(uid_head, orders_as_the_text_does) {
  EXPECT_LT(uid_head(""), uid_head("a"));
  EXPECT_LT(uid_head("a"), uid_head("ab"));
  EXPECT_LT(uid_head("ab"), uid_head("b"));
  EXPECT_EQ(uid_head("12345678-a"), uid_head("12345678-b"));
}

}  // namespace
}  // namespace muster::core
