// SPDX-License-Identifier: Apache-2.0
#include "store/watch_hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "base/check.h"

namespace muster::store {

struct WatchState : std::enable_shared_from_this<WatchState> {
  WatchHub* hub = nullptr;   // null once the watch or the hub is gone
  std::uint64_t number = 0;  // in the order of their opening
  bool closed = false;       // nobody holds the handle any more
  std::size_t place = 0;     // in its group
  std::string prefix;
  Task on_ready;
  Revision position;  // everything that matches up to here has been taken
  bool catching_up = true;
  bool armed = true;  // on_ready is owed when something comes
  std::deque<EventPointer> buffer;
  std::size_t buffer_bytes = 0;
  std::optional<Error> failure;
};

class HubWatch final : public Watch {
 public:
  explicit HubWatch(std::shared_ptr<WatchState> state) : state_(std::move(state)) {}
  ~HubWatch() override {
    state_->closed = true;
    if (state_->hub != nullptr) state_->hub->close(*state_);
  }

  Result<WatchBatch> take(std::size_t limit) override {
    CHECK(limit > 0);
    if (state_->failure.has_value()) return *state_->failure;
    return state_->hub->take(*state_, limit);
  }

 private:
  std::shared_ptr<WatchState> state_;
};

namespace {

std::size_t bytes_buffered(const Event& event) {
  return event.key.size() + event.value.size() + event.previous_value.size();
}

}  // namespace

WatchHub::~WatchHub() {
  fail_all(Error{ErrorCode::unavailable, "the store was closed"});
}

Result<std::unique_ptr<Watch>> WatchHub::open(Revision after, std::string_view prefix,
                                              Task on_ready) {
  if (after < ledger_.compacted()) {
    return Error{ErrorCode::expired,
                 fmt::format("events after revision {} were compacted: the oldest are after {}",
                             after.value, ledger_.compacted().value)};
  }
  if (watches_ >= limits_.watches_max) {
    return Error{ErrorCode::too_many_requests,
                 fmt::format("more than {} watches are open", limits_.watches_max)};
  }
  auto state = std::make_shared<WatchState>();
  state->hub = this;
  state->number = ++opened_;
  state->prefix = prefix;
  state->on_ready = std::move(on_ready);
  state->position = after;
  state->catching_up = after < ledger_.revision();
  Group& group = by_length_[prefix.size()][state->prefix];
  state->place = group.size();
  group.push_back(state);
  ++watches_;
  if (state->catching_up) wake(*state);
  return std::make_unique<HubWatch>(std::move(state));
}

void WatchHub::close(WatchState& state) {
  state.hub = nullptr;
  const auto groups = by_length_.find(state.prefix.size());
  CHECK(groups != by_length_.end());
  const auto found = groups->second.find(state.prefix);
  CHECK(found != groups->second.end());
  Group& group = found->second;
  CHECK(group[state.place].get() == &state);
  --watches_;
  group.back()->place = state.place;
  group[state.place].swap(group.back());
  const auto last = std::move(group.back());  // keeps the state alive while its group goes
  group.pop_back();
  if (group.empty()) groups->second.erase(found);
  if (groups->second.empty()) by_length_.erase(groups);
}

void WatchHub::wake(WatchState& state) {
  if (!state.armed) return;
  state.armed = false;
  ready_.push_back(state.shared_from_this());
}

void WatchHub::publish(std::span<const EventPointer> events) {
  for (const EventPointer& event : events) {
    const std::string_view key = event->key.view();
    const std::size_t bytes = bytes_buffered(*event);
    for (auto& [length, groups] : by_length_) {
      if (length > key.size()) break;
      const auto group = groups.find(key.substr(0, length));
      if (group == groups.end()) continue;
      for (const auto& state : group->second) deliver(*state, event, bytes);
    }
  }
}

void WatchHub::deliver(WatchState& state, const EventPointer& event, std::size_t bytes) {
  if (state.failure.has_value() || event->revision <= state.position) return;
  wake(state);
  if (state.catching_up) return;  // it will find the event in the history
  if (state.buffer.size() >= limits_.watch_events_buffered_max ||
      state.buffer_bytes + bytes > limits_.watch_bytes_buffered_max) {
    state.failure = Error{
        ErrorCode::too_many_requests,
        fmt::format("the watch was cut off: it left {} events ({} bytes) unread; watch again from "
                    "revision {}",
                    state.buffer.size(), state.buffer_bytes, state.position.value)};
    state.buffer.clear();
    state.buffer_bytes = 0;
    ++cut_off_;
    return;
  }
  state.buffer.push_back(event);
  state.buffer_bytes += bytes;
}

Result<WatchBatch> WatchHub::take(WatchState& state, std::size_t limit) {
  if (state.catching_up) return take_history(state, limit);
  WatchBatch batch;
  const std::size_t count = std::min(limit, state.buffer.size());
  batch.events.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    state.buffer_bytes -= bytes_buffered(*state.buffer.front());
    batch.events.push_back(std::move(state.buffer.front()));
    state.buffer.pop_front();
  }
  batch.more = !state.buffer.empty();
  state.position =
      batch.more ? batch.events.back()->revision : std::max(state.position, ledger_.revision());
  batch.revision = state.position;
  state.armed = !batch.more;
  return batch;
}

Result<WatchBatch> WatchHub::take_history(WatchState& state, std::size_t limit) {
  if (state.position < ledger_.compacted()) {
    state.failure =
        Error{ErrorCode::expired,
              fmt::format("events after revision {} were compacted before the watch took them",
                          state.position.value)};
    return *state.failure;
  }
  WatchBatch batch;
  const auto& history = ledger_.history();
  std::size_t at = ledger_.history_begin(state.position);
  const std::size_t end = std::min(history.size(), at + limits_.watch_scan_events_max);
  for (; at < end && batch.events.size() < limit; ++at) {
    const EventPointer& event = history[at].event;
    if (event->key.view().starts_with(state.prefix)) batch.events.push_back(event);
    state.position = event->revision;
  }
  if (at == history.size()) {
    state.catching_up = false;
    state.position = ledger_.revision();
  }
  batch.revision = state.position;
  batch.more = state.catching_up;
  state.armed = !batch.more;
  return batch;
}

void WatchHub::fail_all(const Error& error) {
  Group all;
  for (auto& [length, groups] : by_length_) {
    for (auto& [prefix, group] : groups) all.insert(all.end(), group.begin(), group.end());
  }
  by_length_.clear();
  watches_ = 0;
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a->number < b->number; });
  for (const auto& state : all) {
    if (!state->failure.has_value()) state->failure = error;
    state->buffer.clear();
    wake(*state);
    state->hub = nullptr;
  }
}

void WatchHub::notify() {
  for (const auto& state : std::exchange(ready_, {})) {
    if (!state->closed && state->on_ready) state->on_ready();
  }
}

}  // namespace muster::store
