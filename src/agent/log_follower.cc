// SPDX-License-Identifier: Apache-2.0
#include "agent/log_follower.h"

#include <utility>

namespace muster::agent {

namespace {

constexpr Span look_again_span = Span::of_milliseconds(100);
constexpr std::size_t piece_bytes = std::size_t{64} << 10;

}  // namespace

LogFollower::LogFollower(Disk& disk, client::House house, std::unique_ptr<LogSource> source,
                         LogOptions options, IsRunning is_running)
    : disk_(disk),
      house_(house),
      work_(std::make_shared<Work>(Work{.source = std::move(source), .text = LogText(options)})),
      is_running_(std::move(is_running)) {
  read();
}

LogFollower::~LogFollower() {
  if (timer_) house_.executor.cancel(*timer_);
}

LogFollower::Step LogFollower::take(std::size_t bytes_max) {
  Step step;
  if (pending_.size() <= bytes_max) {
    step.text = std::exchange(pending_, {});
  } else {
    step.text = pending_.substr(0, bytes_max);
    pending_.erase(0, bytes_max);
  }
  step.ended = has_ended_ && pending_.empty();
  owes_ready_ = step.text.empty() && !step.ended;
  if (pending_.empty() && !has_ended_ && !is_reading_ && !timer_) read();
  return step;
}

void LogFollower::read() {
  is_reading_ = true;
  // Asked before the read: what is there after the end of the container is all there will be.
  const bool may_grow = is_running_ && is_running_();
  disk_.submit(
      DiskLane::node,
      [work = work_] {
        auto bytes = work->source->read(piece_bytes);
        if (!bytes) {
          work->is_done = true;
          return;
        }
        work->is_at_end = bytes->empty();
        work->out = work->text.take(*bytes);
        if (work->is_at_end) work->out += work->text.reach_end();
        work->is_done = work->text.is_full();
      },
      house_.executor, lifeline_.guard([this, may_grow] { on_read(may_grow); }));
}

void LogFollower::on_read(bool may_grow) {
  is_reading_ = false;
  pending_ += std::exchange(work_->out, {});
  has_ended_ = work_->is_done || (work_->is_at_end && !may_grow);
  if (pending_.empty() && !has_ended_) {
    if (!work_->is_at_end) return read();  // lines that nobody wants
    timer_ =
        house_.executor.post_at(house_.clock.monotonic() + look_again_span, lifeline_.guard([this] {
          timer_.reset();
          read();
        }));
    return;
  }
  if (owes_ready_ && on_ready_) {
    owes_ready_ = false;
    on_ready_();
  }
}

}  // namespace muster::agent
