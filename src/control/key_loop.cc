// SPDX-License-Identifier: Apache-2.0
#include "control/key_loop.h"

#include <algorithm>
#include <utility>

namespace muster::control {

KeyLoop::KeyLoop(client::House house, client::ObjectCache& cache, Writer& writer, Body body)
    : house_(house), cache_(cache), writer_(writer), body_(std::move(body)) {}

KeyLoop::~KeyLoop() {
  stop();
}

void KeyLoop::start() {
  started_ = true;
  if (!queue_.empty()) post_round();
}

void KeyLoop::stop() {
  started_ = false;
  round_posted_ = false;
  lifeline_.renew();
  for (auto& [subject, item] : items_) {
    if (item.timer) house_.executor.cancel(*item.timer);
  }
  items_.clear();
  queue_.clear();
  writing_ = 0;
}

void KeyLoop::mark(const Subject& subject) {
  Item& item = items_[subject];
  if (item.writing || item.looked_at) {
    item.marked_meanwhile = true;
  } else {
    enqueue(subject, item);
  }
}

void KeyLoop::mark_after(const Subject& subject, Span span) {
  Item& item = items_[subject];
  if (item.writing) item.marked_meanwhile = true;
  if (!item.queued && !item.writing && !item.timer) wait(subject, item, span);
}

const WriteOutcome* KeyLoop::refusal_of(const Subject& subject) const {
  const auto found = items_.find(subject);
  if (found == items_.end() || !found->second.refusal) return nullptr;
  return &*found->second.refusal;
}

void KeyLoop::enqueue(const Subject& subject, Item& item) {
  if (item.timer) house_.executor.cancel(*item.timer);
  item.timer.reset();
  if (item.queued) return;
  item.queued = true;
  queue_.push_back(subject);
  if (started_) post_round();
}

void KeyLoop::post_round() {
  if (round_posted_) return;
  round_posted_ = true;
  house_.executor.post(lifeline_.guard([this] { round(); }));
}

void KeyLoop::round() {
  round_posted_ = false;
  for (std::size_t i = 0; i < keys_per_round_max && !queue_.empty(); ++i) {
    const Subject subject = std::move(queue_.front());
    queue_.pop_front();
    look_at(subject);
  }
  if (!queue_.empty()) post_round();
}

void KeyLoop::look_at(const Subject& subject) {
  Item& item = items_.at(subject);
  item.queued = false;
  item.marked_meanwhile = false;
  item.looked_at = true;
  Step step = body_(subject);
  item.looked_at = false;
  if (step.look_again) {
    const Span span = *step.look_again - house_.clock.wall();
    wait(subject, item, std::clamp(span, look_again_span_min, look_again_span_max));
  }
  if (step.edits.empty()) {
    item.backoff.reset();
    item.refusal.reset();
    if (item.marked_meanwhile) return enqueue(subject, item);
    forget_if_idle(subject);
    return;
  }
  item.writing = true;
  ++writing_;
  writer_.submit(std::move(step.edits),
                 lifeline_.guard([this, subject](const WriteOutcome& outcome) {
                   on_written(subject, outcome);
                 }));
}

void KeyLoop::wait(const Subject& subject, Item& item, Span span) {
  if (item.timer) house_.executor.cancel(*item.timer);
  item.timer = house_.executor.post_at(house_.clock.monotonic() + span,
                                       lifeline_.guard([this, subject] { mark(subject); }));
}

void KeyLoop::on_written(const Subject& subject, const WriteOutcome& outcome) {
  if (outcome.is_unknown()) {
    // Still writing, in a way: what became of it is known after a new list.
    cache_.refresh(outcome.resource, lifeline_.guard([this, subject] {
      on_written(subject, {.refused = Error{ErrorCode::conflict, "the answer was lost"}});
    }));
    return;
  }
  Item& item = items_.at(subject);
  item.writing = false;
  --writing_;
  if (outcome.done()) {
    item.backoff.reset();
    item.refusal.reset();
  } else {
    item.refusal = outcome;
    // What it was computed from is old. The change comes by itself; if not, it is asked again.
    item.backoff.skip_first();
    wait(subject, item, item.backoff.next(house_.random));
  }
  if (item.marked_meanwhile) {
    enqueue(subject, item);
  } else {
    forget_if_idle(subject);
  }
}

void KeyLoop::forget_if_idle(const Subject& subject) {
  const auto found = items_.find(subject);
  if (found == items_.end()) return;
  const Item& item = found->second;
  if (!item.queued && !item.writing && !item.timer) items_.erase(found);
}

}  // namespace muster::control
