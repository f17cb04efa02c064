// FaultyApi: the network between a part of the platform and its API server. Calls get lost before
// they happen or after, answers come late and out of order, writes are refused for no reason,
// events come late and twice, watches close and expire, and for a while nothing passes at all.
// Events of one watch keep their order, as a connection does; between watches anything overtakes
// anything.
//
//   FaultyApi network(*server.in_process(identity), house, clock, seed);
//   network.set_faults({.call_lost_in = 20, .delay_max = Span::of_milliseconds(50)});
//   network.cut(clock.monotonic() + Span::of_seconds(5));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "client/api.h"
#include "client/lifeline.h"
#include "simulator/seeded_random.h"

namespace muster::simulator {

// Each "in" is once in so many; 0 is never.
struct Faults {
  std::uint64_t call_lost_in = 0;
  std::uint64_t answer_lost_in = 0;
  std::uint64_t conflict_in = 0;  // of updates and patches
  std::uint64_t event_twice_in = 0;
  std::uint64_t watch_closed_in = 0;  // of events
  Span delay_max = {};
};

class FaultyApi final : public client::Api {
 public:
  FaultyApi(client::Api& api, Executor& house, const Clock& clock, std::uint64_t seed);
  ~FaultyApi() override;

  void set_faults(const Faults& faults) { faults_ = faults; }

  // From now on no Event reaches the server: nobody decides by them, and they are a third of all
  // writes.
  void lose_notes() { loses_notes_ = true; }

  // Whether the server has still to deal with something that was sent.
  bool is_anything_on_its_way() const { return on_their_way_ != 0; }

  // Until then every call is lost and no watch lives.
  void cut(MonotonicInstant until);

  void call(client::Call call, client::Answer answer) override;
  std::unique_ptr<client::Watch> watch(client::WatchCall call, client::WatchSink sink) override;

 private:
  struct Relay;
  struct Handle;

  bool happens(std::uint64_t once_in) { return once_in != 0 && random_.one_in(once_in); }
  bool is_cut() const { return clock_.monotonic() < cut_until_; }
  Span some_delay();
  void later(Span delay, Task task);
  void refuse(ErrorCode code, client::Answer answer);
  void relay_event(const std::shared_ptr<Relay>& relay, client::WatchEvent event);
  void close(const std::shared_ptr<Relay>& relay, ErrorCode code);

  client::Api& api_;
  Executor& house_;
  const Clock& clock_;
  SeededRandom random_;
  Faults faults_;
  bool loses_notes_ = false;
  MonotonicInstant cut_until_ = {};
  std::uint64_t on_their_way_ = 0;            // calls that the server has not answered
  std::vector<std::weak_ptr<Relay>> relays_;  // in the order of their opening
  client::Lifeline lifeline_;
};

}  // namespace muster::simulator
