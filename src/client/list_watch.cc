// SPDX-License-Identifier: Apache-2.0
#include "client/list_watch.h"

#include <utility>

#include "client/limits.h"
#include "objects/metadata.h"

namespace muster::client {

ListWatch::ListWatch(Selection selection, Api& api, House house, ListWatchSink& sink)
    : selection_(std::move(selection)),
      api_(api),
      house_(house),
      sink_(sink),
      backoff_(retry_span_min, retry_span_max) {}

ListWatch::~ListWatch() {
  stop();
}

void ListWatch::start() {
  if (state_ == State::stopped) list();
}

void ListWatch::stop() {
  state_ = State::stopped;
  lifeline_.renew();
  watch_.reset();
  if (timer_) house_.executor.cancel(*timer_);
  timer_.reset();
}

void ListWatch::refresh(Task then) {
  refreshed_by_next_list_.push_back(std::move(then));
  // While it lists, the answer that comes is too old: on_list() lists once more. While it waits
  // to watch again it lists instead.
  if (state_ != State::watching) return;
  state_ = State::waiting;
  timer_ = house_.executor.post_at(house_.clock.monotonic(), lifeline_.guard([this] { list(); }));
}

void ListWatch::list() {
  timer_.reset();
  watch_.reset();
  state_ = State::listing;
  ++lists_;
  for (Task& task : refreshed_by_next_list_) refreshed_by_this_list_.push_back(std::move(task));
  refreshed_by_next_list_.clear();
  Call call{.verb = Verb::list, .resource = selection_.resource};
  call.name_space = selection_.name_space;
  call.label_selector = selection_.label_selector;
  call.field_selector = selection_.field_selector;
  api_.list(std::move(call),
            lifeline_.guard([this](Result<Listed> answer) { on_list(std::move(answer)); }));
}

void ListWatch::on_list(Result<Listed> answer) {
  if (state_ != State::listing) return;
  if (!answer) {
    be_troubled(answer.error(), true);
    backoff_.skip_first();
    try_again(true);
    return;
  }
  be_well();
  has_listed_ = true;
  is_list_new_ = true;
  version_ = answer->resource_version;
  sink_.on_list(selection_.resource, *answer);
  for (Task& task : std::exchange(refreshed_by_this_list_, {})) task();
  if (state_ != State::listing) return;  // one of them stopped it
  if (refreshed_by_next_list_.empty()) {
    watch();
  } else {
    list();
  }
}

void ListWatch::watch() {
  timer_.reset();
  state_ = State::watching;
  watching_since_ = house_.clock.monotonic();
  WatchCall call{.resource = selection_.resource};
  call.name_space = selection_.name_space;
  call.label_selector = selection_.label_selector;
  call.field_selector = selection_.field_selector;
  call.resource_version = version_;
  watch_ = api_.watch(
      std::move(call),
      {.on_event = lifeline_.guard([this](WatchEvent event) { on_event(std::move(event)); }),
       .on_closed = lifeline_.guard([this](const Error& error) { on_closed(error); })});
}

void ListWatch::on_event(WatchEvent event) {
  // Between refresh() and its list the old watch may go on: what it says is true.
  if (state_ == State::stopped) return;
  const auto version = objects::resource_version_of(event.object);
  if (!version.empty()) version_ = std::string(version);
  be_well();
  sink_.on_event(selection_.resource, std::move(event));
}

void ListWatch::on_closed(const Error& error) {
  if (state_ != State::watching) return;  // stopped, or about to list anyway
  const bool is_expired = error.code == ErrorCode::expired;
  // A server ends each watch after some minutes, and forgets the past: neither alone is trouble.
  be_troubled(error, trouble_.has_value() && !is_expired);
  const bool was_healthy = house_.clock.monotonic() - watching_since_ >= watch_healthy_span;
  // A server that says so is there again: nothing is gained by waiting, unless it says so of what
  // it has just listed.
  const bool is_back = is_expired && !is_list_new_;
  if (was_healthy || is_back) backoff_.reset();
  is_list_new_ = false;
  try_again(is_expired);
}

void ListWatch::be_troubled(const Error& error, bool is_told) {
  trouble_ = error;
  if (!is_told || trouble_told_ == error.code) return;
  trouble_told_ = error.code;
  sink_.on_trouble(selection_.resource, error);
}

void ListWatch::be_well() {
  trouble_.reset();
  trouble_told_.reset();
}

void ListWatch::try_again(bool from_list) {
  state_ = State::waiting;
  const MonotonicInstant due = house_.clock.monotonic() + backoff_.next(house_.random);
  timer_ = house_.executor.post_at(due, lifeline_.guard([this, from_list] {
    if (from_list || !refreshed_by_next_list_.empty()) {
      list();
      return;
    }
    watch_.reset();
    watch();
  }));
}

}  // namespace muster::client
