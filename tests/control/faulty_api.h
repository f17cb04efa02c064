// FaultyApi: an Api between a controller and the real one that loses, delays and repeats what
// passes: calls that never arrive, answers that never come back, events late and told twice,
// watches that close or expire. Between kinds everything may overtake everything; the events of one
// watch stay in order, as a connection keeps them. All of it is drawn from a seed.
//
//   FaultyApi faulty(*server.in_process(identity), house, clock, seed);
//   faulty.set_faults({.call_lost_in = 20, .answer_lost_in = 20, .delay_max = …});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/executor.h"
#include "client/api.h"
#include "client/lifeline.h"
#include "simulator/seeded_random.h"

namespace muster::control {

// Each "in" is once in so many; 0 is never.
struct Faults {
  std::uint64_t call_lost_in = 0;
  std::uint64_t answer_lost_in = 0;
  std::uint64_t conflict_in = 0;  // of writes
  std::uint64_t event_twice_in = 0;
  std::uint64_t watch_closed_in = 0;  // of events
  Span delay_max = {};
};

class FaultyApi final : public client::Api {
 public:
  FaultyApi(client::Api& api, Executor& house, const Clock& clock, std::uint64_t seed)
      : api_(api), house_(house), clock_(clock), random_(seed) {}

  void set_faults(Faults faults) { faults_ = faults; }

  void call(client::Call call, client::Answer answer) override {
    const bool is_write = call.verb != client::Verb::get && call.verb != client::Verb::list;
    if (happens(faults_.call_lost_in)) {
      refuse(ErrorCode::unavailable, std::move(answer));
    } else if (is_write && happens(faults_.conflict_in)) {
      refuse(ErrorCode::conflict, std::move(answer));
    } else {
      const bool is_lost = happens(faults_.answer_lost_in);
      api_.call(std::move(call), lifeline_.guard([this, is_lost, answer = std::move(answer)](
                                                     Result<objects::Value> result) mutable {
        if (is_lost) result = Error{ErrorCode::unavailable, "lost"};
        later(some_delay(), [answer = std::move(answer), result = std::move(result)]() mutable {
          answer(std::move(result));
        });
      }));
    }
  }

  std::unique_ptr<client::Watch> watch(client::WatchCall call, client::WatchSink sink) override {
    auto relay = std::make_shared<Relay>();
    relay->sink = std::move(sink);
    auto handle = std::make_unique<Handle>();
    handle->relay = relay;
    handle->watch = api_.watch(
        std::move(call),
        {.on_event = lifeline_.guard([this, relay](client::WatchEvent event) {
           const bool twice = happens(faults_.event_twice_in);
           if (twice) relay_event(relay, event);
           relay_event(relay, std::move(event));
           if (happens(faults_.watch_closed_in)) {
             close(relay, random_.one_in(3) ? ErrorCode::expired : ErrorCode::unavailable);
           }
         }),
         .on_closed =
             lifeline_.guard([this, relay](const Error& error) { close(relay, error.code); })});
    return handle;
  }

 private:
  struct Relay {
    client::WatchSink sink;
    MonotonicInstant last = {};  // when the newest event so far is delivered
    bool is_closed = false;      // nothing more is taken
    bool is_gone = false;        // nothing more is delivered
  };
  struct Handle final : client::Watch {
    ~Handle() override { relay->is_gone = true; }
    std::shared_ptr<Relay> relay;
    std::unique_ptr<client::Watch> watch;
  };

  bool happens(std::uint64_t once_in) { return once_in != 0 && random_.one_in(once_in); }

  Span some_delay() {
    const auto width = static_cast<std::uint64_t>(faults_.delay_max.nanoseconds);
    return Span::of_nanoseconds(static_cast<std::int64_t>(width == 0 ? 0 : random_.below(width)));
  }

  void later(Span delay, Task task) {
    house_.post_at(clock_.monotonic() + delay, lifeline_.guard(std::move(task)));
  }

  void refuse(ErrorCode code, client::Answer answer) {
    later(some_delay(), [code, answer = std::move(answer)]() mutable {
      answer(Error{code, "refused"});
    });
  }

  void relay_event(const std::shared_ptr<Relay>& relay, client::WatchEvent event) {
    if (relay->is_closed) return;
    relay->last = std::max(relay->last, clock_.monotonic() + some_delay());
    house_.post_at(relay->last, lifeline_.guard([relay, event = std::move(event)]() mutable {
      if (!relay->is_gone) relay->sink.on_event(std::move(event));
    }));
  }

  void close(const std::shared_ptr<Relay>& relay, ErrorCode code) {
    if (std::exchange(relay->is_closed, true)) return;
    relay->last = std::max(relay->last, clock_.monotonic());
    house_.post_at(relay->last, lifeline_.guard([relay, code] {
      if (!relay->is_gone) relay->sink.on_closed(Error{code, "closed"});
    }));
  }

  client::Api& api_;
  Executor& house_;
  const Clock& clock_;
  simulator::SeededRandom random_;
  Faults faults_;
  client::Lifeline lifeline_;
};

}  // namespace muster::control
