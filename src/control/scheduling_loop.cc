// SPDX-License-Identifier: Apache-2.0
#include "control/scheduling_loop.h"

#include <algorithm>
#include <utility>

#include "control/limits.h"
#include "objects/metadata.h"

namespace muster::control {

using core::Edit;
using core::Plan;

SchedulingLoop::SchedulingLoop(client::House house, client::ObjectCache& cache, Writer& writer,
                               const core::Policy& policy, RecordFile* record)
    : house_(house),
      cache_(cache),
      writer_(writer),
      policy_(policy),
      record_(record),
      feed_(cache, house.clock, [this](const core::Event& event) { on_event(event); }),
      backoff_(refused_span_min, refused_span_max) {
  state_.place_pods(policy_.places_unmanaged_pods);
  feed_.configure(policy_);
}

SchedulingLoop::~SchedulingLoop() {
  stop();
}

void SchedulingLoop::start() {
  started_ = true;
  wake();
}

void SchedulingLoop::stop() {
  started_ = false;
  round_posted_ = false;
  writing_ = 0;
  under_way_.clear();
  lifeline_.renew();
  for (std::optional<TimerId>* timer : {&timer_, &tick_timer_}) {
    if (*timer) house_.executor.cancel(**timer);
    timer->reset();
  }
}

void SchedulingLoop::configure(const core::Configuration& configuration) {
  next_configuration_ = configuration;
  wake();
}

void SchedulingLoop::on_event(const core::Event& event) {
  state_.apply(event);
  if (record_ != nullptr) {
    record_->append(RecordEntry::of(event));
    if (record_->is_segment_full()) record_->begin_segment(feed_.snapshot());
  }
  if (event.type != core::EventType::tick) wake();
}

void SchedulingLoop::wake() {
  if (!started_ || round_posted_ || !has_work()) return;
  round_posted_ = true;
  house_.executor.post(lifeline_.guard([this] { round(); }));
}

void SchedulingLoop::wake_later() {
  if (timer_) return;
  backoff_.skip_first();
  const MonotonicInstant due = house_.clock.monotonic() + backoff_.next(house_.random);
  timer_ = house_.executor.post_at(due, lifeline_.guard([this] {
    timer_.reset();
    wake();
  }));
}

// Back-offs and second passes come due without an event.
void SchedulingLoop::wake_in_time() {
  if (tick_timer_) house_.executor.cancel(*tick_timer_);
  tick_timer_.reset();
  const auto next = state_.next_tick();
  if (!next || !started_) return;
  const Span span =
      std::clamp(*next - house_.clock.wall(), look_again_span_min, look_again_span_max);
  tick_timer_ = house_.executor.post_at(house_.clock.monotonic() + span, lifeline_.guard([this] {
    tick_timer_.reset();
    feed_.tick();
    if (state_.has_work()) {
      wake();
    } else {
      wake_in_time();
    }
  }));
}

// The answer to a binding shows no pod: until its watch does, the state alone knows which place and
// which address are taken, and the state is about to be made anew.
void SchedulingLoop::see_what_was_bound() {
  has_bound_ = false;
  ++writing_;
  cache_.refresh(objects::resources::pods, lifeline_.guard([this] {
    --writing_;
    wake();
  }));
}

// Everything is read anew by the new rules, as if the controllers had been started with them.
void SchedulingLoop::adopt_configuration() {
  policy_.kueue = *std::move(next_configuration_);
  next_configuration_.reset();
  state_ = core::ClusterState(policy_.kueue);
  state_.place_pods(policy_.places_unmanaged_pods);
  feed_.configure(policy_);
  const std::vector<core::Event> snapshot = feed_.snapshot();
  state_.apply(snapshot);
  if (record_ != nullptr) record_->begin_segment(snapshot);
  feed_.tick();
  if (configuration_listener_) configuration_listener_();
}

void SchedulingLoop::round() {
  round_posted_ = false;
  if (next_configuration_) {
    if (writing_ != 0) return;  // the last answer wakes us
    if (has_bound_) return see_what_was_bound();
    adopt_configuration();
  }
  feed_.tick();
  const MonotonicInstant end = house_.clock.monotonic() + planning_span_max;
  std::vector<std::vector<Edit>> lists;
  while (state_.has_work()) {
    const MonotonicInstant began = house_.clock.monotonic();
    const Plan cycle = core::plan(state_, policy_);
    ++cycles_;
    if (cycle_listener_) cycle_listener_(cycle, house_.clock.monotonic() - began);
    if (record_ != nullptr) record_->append(RecordEntry::of_cycle(core::to_value(state_, cycle)));
    state_.assume(cycle);
    for (std::vector<Edit>& list : core::edits_of(state_, cycle)) lists.push_back(std::move(list));
    if (house_.clock.monotonic() >= end) break;
  }
  for (std::vector<Edit>& list : lists) submit(std::move(list));
  wake_in_time();
  wake();
}

void SchedulingLoop::submit(std::vector<Edit> edits) {
  if (edits.empty()) return;
  // A list is about one object: the first write names it.
  const Edit* write = nullptr;
  for (const Edit& edit : edits) {
    if (write == nullptr && edit.verb != Edit::Verb::record) write = &edit;
  }
  Subject target;
  if (write != nullptr) {
    target = subject_of(write->resource, write->object);
    ++under_way_[target].lists;
  }
  ++writing_;
  writer_.submit(std::move(edits),
                 lifeline_.guard([this, target = std::move(target)](const WriteOutcome& done) {
                   on_written(target, done);
                 }));
}

void SchedulingLoop::on_written(const Subject& target, const WriteOutcome& outcome) {
  if (outcome.is_unknown()) {
    // It may have happened. Until that is known nobody else gets the quota and the places.
    cache_.refresh(target.resource, lifeline_.guard([this, target] { on_over(target, true); }));
    return;
  }
  if (outcome.done()) {
    backoff_.reset();
    has_bound_ = has_bound_ || target.resource == objects::resources::pods;
  }
  on_over(target, !outcome.done());
}

// A refusal must not undo what was decided since, whose own answer is still to come: only when
// nothing is under way to the object does it stand as the API has it.
void SchedulingLoop::on_over(const Subject& target, bool is_refused) {
  --writing_;
  if (next_configuration_) wake();
  const auto found = under_way_.find(target);
  if (found == under_way_.end()) return;
  UnderWay& under_way = found->second;
  under_way.is_refused = under_way.is_refused || is_refused;
  if (--under_way.lists > 0) return;
  const bool is_taken_back = under_way.is_refused;
  under_way_.erase(found);
  if (is_taken_back) take_back(target);
}

void SchedulingLoop::take_back(const Subject& target) {
  if (record_ != nullptr) {
    record_->append(RecordEntry::of_refusal(target.resource, target.key, target.uid));
  }
  state_.forget(target.resource, target.key, target.uid);
  // At once it would decide the same from the same old view; the change that caused the refusal
  // wakes it earlier.
  wake_later();
}

}  // namespace muster::control
