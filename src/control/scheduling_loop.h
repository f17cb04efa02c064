// SchedulingLoop: events in, decisions out. It keeps the ClusterState current, runs cycles of
// plan() back to back until there is no work or planning_span_max is over, and then has their
// writes sent. A decision counts from the moment it is made; a refused write takes it back, and a
// write whose answer is lost holds its place until a new list has told what became of it. Several
// decisions about one object may be under way; nothing is taken back before the last is answered.
//
//   SchedulingLoop loop(house, cache, writer, policy, record);
//   loop.start();     // after the cache has synced: no decision is made from half a view
//
// Assumes: the house thread; made before the cache starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "client/backoff.h"
#include "client/object_cache.h"
#include "control/feed.h"
#include "control/record.h"
#include "control/subject.h"
#include "control/writer.h"
#include "core/model/cluster_state.h"
#include "core/plan/plan.h"

namespace muster::control {

class SchedulingLoop {
 public:
  SchedulingLoop(client::House house, client::ObjectCache& cache, Writer& writer,
                 const core::Policy& policy, RecordFile* record);
  ~SchedulingLoop();
  SchedulingLoop(const SchedulingLoop&) = delete;
  SchedulingLoop& operator=(const SchedulingLoop&) = delete;

  void start();
  void stop();

  // Kueue's configuration changed: decisions follow the new one as soon as what is under way by the
  // old one is answered and seen.
  void configure(const core::Configuration& configuration);
  void when_configured(UniqueFunction<void()> listener) {
    configuration_listener_ = std::move(listener);
  }

  // Hears of every cycle, and how long it took.
  using CycleListener = UniqueFunction<void(const core::Plan&, Span)>;
  void when_cycled(CycleListener listener) { cycle_listener_ = std::move(listener); }

  bool is_idle() const { return writing_ == 0 && !(started_ && has_work()); }
  std::uint64_t cycles() const { return cycles_; }
  std::uint64_t events() const { return feed_.events(); }
  const core::ClusterState& state() const { return state_; }

 private:
  // What is under way to one object.
  struct UnderWay {
    std::size_t lists = 0;
    bool is_refused = false;  // one of them was
  };

  bool has_work() const { return next_configuration_.has_value() || state_.has_work(); }
  void on_event(const core::Event& event);
  void wake();
  void wake_later();
  void wake_in_time();
  void see_what_was_bound();
  void adopt_configuration();
  void round();
  void submit(std::vector<core::Edit> edits);
  void on_written(const Subject& target, const WriteOutcome& outcome);
  void on_over(const Subject& target, bool is_refused);
  void take_back(const Subject& target);

  client::House house_;
  client::ObjectCache& cache_;
  Writer& writer_;
  core::Policy policy_;
  RecordFile* record_;
  core::ClusterState state_;
  Feed feed_;
  client::Backoff backoff_;
  CycleListener cycle_listener_;
  UniqueFunction<void()> configuration_listener_;
  std::optional<TimerId> timer_;
  std::optional<TimerId> tick_timer_;  // the next moment at which time alone makes work
  std::optional<core::Configuration> next_configuration_;
  // An object that was made again under its name is another one: an answer to the old one must not
  // be taken for the last word to the new one.
  std::unordered_map<Subject, UnderWay, SubjectHash> under_way_;  // never iterated
  std::size_t writing_ = 0;
  bool has_bound_ = false;  // and what a new list of pods has not shown
  std::uint64_t cycles_ = 0;
  bool started_ = false;
  bool round_posted_ = false;
  client::Lifeline lifeline_;
};

}  // namespace muster::control
