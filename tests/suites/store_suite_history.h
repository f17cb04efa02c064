// What clients saw of one key, and whether some order of their calls explains it. This is the
// search of Wing and Gong with Lowe's memory of visited states, as Porcupine does it: take any
// call that began before every unfinished one ended, try it on the model, and go on.
//
//   KeyHistory history;
//   const auto call = history.begin(Call::put("v1", Expected::absent()));
//   history.end(call, Result<Revision>(Revision{1}));
//   EXPECT_TRUE(is_linearizable(history));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"

namespace muster::store {

enum class CallKind : std::uint8_t { put, remove, get };

struct Call {
  CallKind kind = CallKind::get;
  std::string value = {};  // every put of a history writes a different one
  Expected expected = Expected::any();

  std::uint64_t began = 0;
  std::uint64_t ended = std::numeric_limits<std::uint64_t>::max();  // no answer: perhaps done

  // The answer: a code, or a revision (and for a get the value that was read).
  std::optional<ErrorCode> refusal = {};
  Revision revision = {};
  std::string read = {};

  bool is_answered() const { return ended != std::numeric_limits<std::uint64_t>::max(); }
};

class KeyHistory {
 public:
  std::size_t begin_write(CallKind kind, std::string value, Expected expected) {
    calls_.push_back(
        {.kind = kind, .value = std::move(value), .expected = expected, .began = ++*clock_});
    return calls_.size() - 1;
  }

  // Errors that say nothing about the key leave the call unanswered: it may have happened.
  void end_write(std::size_t call, const Result<Revision>& answer) {
    Call& c = calls_[call];
    if (answer) {
      c.revision = *answer;
    } else if (answer.error().code == ErrorCode::conflict ||
               answer.error().code == ErrorCode::not_found ||
               answer.error().code == ErrorCode::already_exists) {
      c.refusal = answer.error().code;
    } else {
      return;
    }
    c.ended = ++*clock_;
  }

  void read(const Result<Entry>& answer) {
    Call call{.kind = CallKind::get, .began = ++*clock_};
    call.ended = ++*clock_;
    if (answer) {
      call.revision = answer->revision;
      call.read = std::string(answer->value.view());
    } else {
      call.refusal = answer.error().code;
    }
    calls_.push_back(std::move(call));
  }

  explicit KeyHistory(std::uint64_t& clock) : clock_(&clock) {}
  const std::vector<Call>& calls() const { return calls_; }

 private:
  std::uint64_t* clock_;  // shared by all keys of a test
  std::vector<Call> calls_;
};

class LinearizabilitySearch {
 public:
  explicit LinearizabilitySearch(const std::vector<Call>& calls) : calls_(calls) {
    // A put without an answer has a revision all the same; a reader may have learned it.
    for (const Call& call : calls_) {
      if (call.kind == CallKind::get && !call.refusal) learned_[call.read] = call.revision;
    }
  }

  bool run() { return search(std::vector<bool>(calls_.size()), absent); }

 private:
  static constexpr std::size_t absent = std::numeric_limits<std::size_t>::max();

  Revision live_revision(std::size_t state) const {
    if (state == absent) return {};
    const Call& put = calls_[state];
    if (put.is_answered()) return put.revision;
    const auto found = learned_.find(put.value);
    return found == learned_.end() ? Revision{} : found->second;
  }

  // The refusal that the contract demands in this state, if any.
  std::optional<ErrorCode> due_refusal(const Call& call, std::size_t state) const {
    if (call.kind == CallKind::get) {
      return state == absent ? std::optional(ErrorCode::not_found) : std::nullopt;
    }
    if (call.expected.is_absent()) {
      return state == absent ? std::nullopt : std::optional(ErrorCode::already_exists);
    }
    if (state == absent && (call.kind == CallKind::remove || !call.expected.is_any())) {
      return ErrorCode::not_found;
    }
    if (call.expected.is_any() || call.expected.revision() == live_revision(state)) return {};
    return ErrorCode::conflict;
  }

  // The state after the call, or nothing when its answer is impossible here.
  std::optional<std::size_t> step(std::size_t index, std::size_t state) const {
    const Call& call = calls_[index];
    const auto due = due_refusal(call, state);
    if (!call.is_answered()) {
      if (due) return std::nullopt;  // it changed nothing, which leaving it out says already
      return call.kind == CallKind::put ? index : absent;
    }
    if (call.refusal != due) return std::nullopt;
    if (due) return state;
    switch (call.kind) {
      case CallKind::put:
        return index;
      case CallKind::remove:
        return absent;
      case CallKind::get:
        if (call.read != calls_[state].value || call.revision != live_revision(state)) return {};
        return state;
    }
    return std::nullopt;
  }

  bool search(std::vector<bool> done, std::size_t state) {
    if (!visited_.emplace(done, state).second) return false;
    std::uint64_t first_end = std::numeric_limits<std::uint64_t>::max();
    bool all_answered_done = true;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (done[i] || !calls_[i].is_answered()) continue;
      all_answered_done = false;
      first_end = std::min(first_end, calls_[i].ended);
    }
    if (all_answered_done) return true;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (done[i] || calls_[i].began > first_end) continue;
      const auto next = step(i, state);
      if (!next) continue;
      done[i] = true;
      if (search(done, *next)) return true;
      done[i] = false;
    }
    return false;
  }

  const std::vector<Call>& calls_;
  std::map<std::string, Revision> learned_;
  std::set<std::pair<std::vector<bool>, std::size_t>> visited_;
};

inline bool is_linearizable(const KeyHistory& history) {
  return LinearizabilitySearch(history.calls()).run();
}

// Revisions of answered writes must also follow the order in which the calls did.
inline bool revisions_follow_time(const std::vector<Call>& calls) {
  for (const Call& a : calls) {
    for (const Call& b : calls) {
      if (a.kind == CallKind::get || b.kind == CallKind::get) continue;
      if (!a.is_answered() || !b.is_answered() || a.refusal || b.refusal) continue;
      if (a.ended < b.began && a.revision >= b.revision) return false;
    }
  }
  return true;
}

}  // namespace muster::store
