// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/faulty_api.h"

#include <algorithm>
#include <utility>

namespace muster::simulator {

using client::Verb;
using objects::Value;

// One watch on its way through the network. Shared by the callbacks that are under way, whose ends
// nobody orders.
struct FaultyApi::Relay {
  client::WatchSink sink;
  MonotonicInstant last = {};  // when the newest event so far is delivered
  bool is_closed = false;      // nothing more is taken
  bool is_gone = false;        // nothing more is delivered
};

struct FaultyApi::Handle final : client::Watch {
  ~Handle() override { relay->is_gone = true; }
  std::shared_ptr<Relay> relay;
  std::unique_ptr<client::Watch> watch;
};

FaultyApi::FaultyApi(client::Api& api, Executor& house, const Clock& clock, std::uint64_t seed)
    : api_(api), house_(house), clock_(clock), random_(seed) {}

FaultyApi::~FaultyApi() = default;

void FaultyApi::cut(MonotonicInstant until) {
  cut_until_ = std::max(cut_until_, until);
  const auto relays = std::exchange(relays_, {});
  for (const std::weak_ptr<Relay>& each : relays) {
    if (const auto relay = each.lock()) close(relay, ErrorCode::unavailable);
  }
}

void FaultyApi::call(client::Call call, client::Answer answer) {
  const bool is_conditional = call.verb == Verb::update || call.verb == Verb::patch;
  const bool is_note = loses_notes_ && call.resource == objects::resources::events;
  if (is_note || is_cut() || happens(faults_.call_lost_in)) {
    return refuse(ErrorCode::unavailable, std::move(answer));
  }
  if (is_conditional && happens(faults_.conflict_in)) {
    return refuse(ErrorCode::conflict, std::move(answer));
  }
  const bool is_lost = happens(faults_.answer_lost_in);
  ++on_their_way_;
  auto answered =
      lifeline_.guard([this, is_lost, answer = std::move(answer)](Result<Value> result) mutable {
        --on_their_way_;
        if (is_lost || is_cut()) result = Error{ErrorCode::unavailable, "the answer was lost"};
        later(some_delay(), [answer = std::move(answer), result = std::move(result)]() mutable {
          answer(std::move(result));
        });
      });
  const Span on_its_way = some_delay();
  if (on_its_way == Span{}) return api_.call(std::move(call), std::move(answered));
  later(on_its_way, [this, call = std::move(call), answered = std::move(answered)]() mutable {
    api_.call(std::move(call), std::move(answered));
  });
}

std::unique_ptr<client::Watch> FaultyApi::watch(client::WatchCall call, client::WatchSink sink) {
  auto relay = std::make_shared<Relay>();
  relay->sink = std::move(sink);
  auto handle = std::make_unique<Handle>();
  handle->relay = relay;
  if (is_cut()) {
    close(relay, ErrorCode::unavailable);
    return handle;
  }
  std::erase_if(relays_, [](const std::weak_ptr<Relay>& each) { return each.expired(); });
  relays_.push_back(relay);
  handle->watch = api_.watch(
      std::move(call),
      {.on_event = lifeline_.guard([this, relay](client::WatchEvent event) {
         if (happens(faults_.event_twice_in)) relay_event(relay, event);
         relay_event(relay, std::move(event));
         if (!happens(faults_.watch_closed_in)) return;
         close(relay, random_.one_in(3) ? ErrorCode::expired : ErrorCode::unavailable);
       }),
       .on_closed =
           lifeline_.guard([this, relay](const Error& error) { close(relay, error.code); })});
  return handle;
}

Span FaultyApi::some_delay() {
  const auto width = static_cast<std::uint64_t>(faults_.delay_max.nanoseconds);
  return Span::of_nanoseconds(static_cast<std::int64_t>(width == 0 ? 0 : random_.below(width)));
}

void FaultyApi::later(Span delay, Task task) {
  house_.post_at(clock_.monotonic() + delay, lifeline_.guard(std::move(task)));
}

void FaultyApi::refuse(ErrorCode code, client::Answer answer) {
  later(some_delay(), [code, answer = std::move(answer)]() mutable {
    answer(Error{code, "the simulated network says no"});
  });
}

void FaultyApi::relay_event(const std::shared_ptr<Relay>& relay, client::WatchEvent event) {
  if (relay->is_closed) return;
  relay->last = std::max(relay->last, clock_.monotonic() + some_delay());
  house_.post_at(relay->last, lifeline_.guard([relay, event = std::move(event)]() mutable {
    if (!relay->is_gone) relay->sink.on_event(std::move(event));
  }));
}

void FaultyApi::close(const std::shared_ptr<Relay>& relay, ErrorCode code) {
  if (std::exchange(relay->is_closed, true)) return;
  relay->last = std::max(relay->last, clock_.monotonic());
  house_.post_at(relay->last, lifeline_.guard([relay, code] {
    if (!relay->is_gone) relay->sink.on_closed(Error{code, "the simulated network closed it"});
  }));
}

}  // namespace muster::simulator
