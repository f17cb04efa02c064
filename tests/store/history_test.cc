// SPDX-License-Identifier: Apache-2.0
// The checker is itself checked: it must refuse what no store may answer.
#include <gtest/gtest.h>

#include "tests/suites/store_suite_history.h"

namespace muster::store {
namespace {

struct HistoryOfOneKey : testing::Test {
  std::uint64_t clock = 0;
  KeyHistory history{clock};

  std::size_t put(std::string value, Expected expected) {
    return history.begin_write(CallKind::put, std::move(value), expected);
  }
  void answer(std::size_t call, std::uint64_t revision) {
    history.end_write(call, Revision{revision});
  }
  void refuse(std::size_t call, ErrorCode code) { history.end_write(call, Error{code, "no"}); }
  void sees(std::string_view value, std::uint64_t revision) {
    history.read(Entry{Bytes::copy_of("k"), Bytes::copy_of(value), Revision{revision}});
  }
  void sees_nothing() { history.read(Error{ErrorCode::not_found, "no"}); }
};

TEST_F(HistoryOfOneKey, accepts_calls_one_after_the_other) {
  sees_nothing();
  answer(put("a", Expected::absent()), 1);
  sees("a", 1);
  answer(put("b", Expected::exactly({1})), 2);
  sees("b", 2);
  answer(history.begin_write(CallKind::remove, "", Expected::any()), 3);
  sees_nothing();
  EXPECT_TRUE(is_linearizable(history));
}

TEST_F(HistoryOfOneKey, accepts_either_order_of_calls_at_the_same_time) {
  const auto a = put("a", Expected::any());
  const auto b = put("b", Expected::any());
  answer(b, 1);
  answer(a, 2);
  sees("a", 2);
  EXPECT_TRUE(is_linearizable(history));
}

TEST_F(HistoryOfOneKey, refuses_a_read_of_the_past_after_an_answer) {
  answer(put("a", Expected::any()), 1);
  answer(put("b", Expected::any()), 2);
  sees("a", 1);
  EXPECT_FALSE(is_linearizable(history));
}

TEST_F(HistoryOfOneKey, refuses_a_lost_write) {
  answer(put("a", Expected::any()), 1);
  sees_nothing();
  EXPECT_FALSE(is_linearizable(history));
}

TEST_F(HistoryOfOneKey, refuses_two_winners_of_one_condition) {
  answer(put("a", Expected::absent()), 1);
  const auto b = put("b", Expected::exactly({1}));
  const auto c = put("c", Expected::exactly({1}));
  answer(b, 2);
  answer(c, 3);
  EXPECT_FALSE(is_linearizable(history));
}

TEST_F(HistoryOfOneKey, refuses_a_refusal_without_a_reason) {
  refuse(put("a", Expected::absent()), ErrorCode::already_exists);
  EXPECT_FALSE(is_linearizable(history));
}

TEST_F(HistoryOfOneKey, lets_an_unanswered_write_have_happened_or_not) {
  answer(put("a", Expected::any()), 1);
  const auto b = put("b", Expected::any());
  history.end_write(b, Error{ErrorCode::internal, "the process died"});
  sees("a", 1);
  EXPECT_TRUE(is_linearizable(history));
  sees("b", 2);
  EXPECT_TRUE(is_linearizable(history));
  sees("a", 1);
  EXPECT_FALSE(is_linearizable(history)) << "it cannot have happened and then not";
}

TEST_F(HistoryOfOneKey, refuses_a_dirty_read_that_came_too_early) {
  sees("a", 1);
  answer(put("a", Expected::any()), 1);
  EXPECT_FALSE(is_linearizable(history));
}

TEST_F(HistoryOfOneKey, refuses_revisions_against_time) {
  answer(put("a", Expected::any()), 2);
  answer(put("b", Expected::any()), 1);
  EXPECT_TRUE(is_linearizable(history));
  EXPECT_FALSE(revisions_follow_time(history.calls()));
}

}  // namespace
}  // namespace muster::store
