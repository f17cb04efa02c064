// LeaderElection: of several processes that would do the same work, one does it at a time. It holds
// a Lease and renews it; another takes the Lease when it was not renewed for as long as it says.
// The protocol and the fields are client-go's, so `kubectl get lease` shows who leads.
//
//   LeaderElection election(api, house, {.name = "muster-controller", .identity = "a_17"},
//                           {.on_elected = [&] { begin(); }, .on_lost = [&] { end(); }});
//   election.start();
//
//             made it or took it                no renewal within renew_within, or it was taken
//   waiting ──────────────────────► leading ────────────────────────────────────────► waiting
//      └─ try_span: look again         └─ try_span: renew
//
// Assumes: the house thread. Clocks need not agree: a Lease ages from the moment at which this
// process saw it change. A leader ends renew_within after it sent the last renewal that it heard
// of, the others, and itself before it leads again, wait for the whole duration: what the old one
// sent has the difference to arrive.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "client/api.h"
#include "client/lifeline.h"
#include "client/list_watch.h"

namespace muster::client {

struct LeaderElectionOptions {
  std::string name_space = "kube-system";
  std::string name;
  std::string identity;  // of this process; no two have the same
  Span duration = Span::of_seconds(15);
  Span renew_within = Span::of_seconds(10);
  Span try_span = Span::of_seconds(2);
};

struct LeaderElectionSink {
  std::function<void()> on_elected;
  std::function<void()> on_lost;
};

class LeaderElection {
 public:
  LeaderElection(Api& api, House house, LeaderElectionOptions options, LeaderElectionSink sink);

  void start() { look(); }

  // Gives the Lease back where it is held, so that nobody waits for it to age. Nothing follows.
  void resign(Task done);

  // Whether this process leads and may still write.
  bool may_act() const;

  // Who leads as far as this process knows; empty: nobody.
  const std::string& leader() const { return seen_holder_; }

 private:
  void look();
  void on_seen(const objects::Value& lease);
  void on_answered(MonotonicInstant sent, Result<objects::Value> answer);
  void write(objects::Value next, bool is_new);
  void rest();
  void lose();
  bool is_silent() const;
  void watch_over(MonotonicInstant until);

  Api& api_;
  House house_;
  const LeaderElectionOptions options_;
  const LeaderElectionSink sink_;

  objects::Value lease_;                // as last seen; absent: must be asked for
  std::string seen_holder_;             // of it
  std::string seen_version_;            // of it
  MonotonicInstant seen_changed_ = {};  // when it was another before
  MonotonicInstant renewed_ = {};       // when the last renewal that succeeded was sent
  MonotonicInstant silent_until_ = {};  // it led, and does not lead again before
  bool is_leading_ = false;
  Lifeline lifeline_;
};

// FencedApi: an Api whose writes are refused once its owner does not lead any more. Reads pass.
//
// Assumes: what it is given outlives it and its answers.
class FencedApi final : public Api {
 public:
  FencedApi(Api& api, const LeaderElection& election, Executor& executor)
      : api_(api), election_(election), executor_(executor) {}

  void call(Call call, Answer answer) override;
  void list(Call call, ListAnswer answer) override;
  std::unique_ptr<Watch> watch(WatchCall call, WatchSink sink) override;

 private:
  Api& api_;
  const LeaderElection& election_;
  Executor& executor_;
};

}  // namespace muster::client
