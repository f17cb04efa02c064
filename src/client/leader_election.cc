// SPDX-License-Identifier: Apache-2.0
#include "client/leader_election.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/timestamp.h"
#include "objects/edit.h"
#include "objects/metadata.h"

namespace muster::client {

using objects::Value;
using objects::View;

namespace resources = objects::resources;

namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

Value with_spec(const Value& lease, std::string_view name, const Value& value) {
  return objects::with(lease, {"spec", name}, value).value_or(lease);
}

std::string_view holder_of(View lease) {
  return lease["spec"]["holderIdentity"].string_or("");
}

// For how long it counts after its last renewal.
Span duration_of(View lease) {
  constexpr std::int64_t seconds_max = 86'400;
  const std::int64_t seconds = lease["spec"]["leaseDurationSeconds"].integer_or(0);
  return Span::of_seconds(std::clamp<std::int64_t>(seconds, 0, seconds_max));
}

Value empty_lease(const LeaderElectionOptions& options) {
  return Value::object(
      {{"apiVersion", Value::string("coordination.k8s.io/v1")},
       {"kind", Value::string("Lease")},
       {"metadata", Value::object({{"name", Value::string(options.name)},
                                   {"namespace", Value::string(options.name_space)}})},
       {"spec", Value::object({{"leaseTransitions", Value::integer(0)}})}});
}

// The Lease as `identity` holds it from now on.
Value held_by(const std::string& identity, const Value& lease, Span duration, Instant now) {
  const Value time = Value::string(format_micro_time(Timestamp::of(now)));
  const std::string_view before = holder_of(lease);
  Value next = with_spec(lease, "holderIdentity", Value::string(identity));
  next = with_spec(next, "leaseDurationSeconds",
                   Value::integer(duration.nanoseconds / nanoseconds_per_second));
  next = with_spec(next, "renewTime", time);
  if (before == identity) return next;
  next = with_spec(next, "acquireTime", time);
  const bool is_first = !lease["metadata"]["resourceVersion"];
  const std::int64_t transitions = lease["spec"]["leaseTransitions"].integer_or(0);
  if (is_first || transitions >= std::numeric_limits<std::int32_t>::max()) return next;
  return with_spec(next, "leaseTransitions", Value::integer(transitions + 1));
}

}  // namespace

LeaderElection::LeaderElection(Api& api, House house, LeaderElectionOptions options,
                               LeaderElectionSink sink)
    : api_(api), house_(house), options_(std::move(options)), sink_(std::move(sink)) {}

bool LeaderElection::may_act() const {
  return is_leading_ && house_.clock.monotonic() < renewed_ + options_.renew_within;
}

bool LeaderElection::is_silent() const {
  return !is_leading_ && house_.clock.monotonic() < silent_until_;
}

// A leader renews what it wrote last; whoever waits asks first.
void LeaderElection::look() {
  if (is_leading_ && lease_.is_object()) {
    return write(held_by(options_.identity, lease_, options_.duration, house_.clock.wall()), false);
  }
  api_.call({.verb = Verb::get,
             .resource = resources::leases,
             .name_space = options_.name_space,
             .name = options_.name},
            lifeline_.guard([this](const Result<Value>& answer) {
              if (answer) return on_seen(*answer);
              if (answer.error().code != ErrorCode::not_found) return rest();
              const Value lease = empty_lease(options_);
              write(held_by(options_.identity, lease, options_.duration, house_.clock.wall()),
                    true);
            }));
}

void LeaderElection::on_seen(const Value& lease) {
  const MonotonicInstant now = house_.clock.monotonic();
  const std::string_view version = objects::resource_version_of(lease);
  if (version != seen_version_) seen_changed_ = now;
  seen_version_ = version;
  seen_holder_ = holder_of(lease);
  const bool is_own = seen_holder_ == options_.identity;
  if (is_leading_ && !is_own) lose();
  if (!is_own && !seen_holder_.empty() && now < seen_changed_ + duration_of(lease)) return rest();
  if (is_silent()) return rest();
  write(held_by(options_.identity, lease, options_.duration, house_.clock.wall()), false);
}

void LeaderElection::write(Value next, bool is_new) {
  const MonotonicInstant sent = house_.clock.monotonic();
  Call call{.verb = is_new ? Verb::create : Verb::update,
            .resource = resources::leases,
            .name_space = options_.name_space,
            .body = std::move(next)};
  if (!is_new) call.name = options_.name;
  api_.call(std::move(call), lifeline_.guard([this, sent](Result<Value> answer) {
    on_answered(sent, std::move(answer));
  }));
}

void LeaderElection::on_answered(MonotonicInstant sent, Result<Value> answer) {
  const bool is_late = house_.clock.monotonic() >= sent + options_.renew_within;
  if (!answer || is_late) {
    lease_ = {};
    return rest();
  }
  lease_ = std::move(*answer);
  seen_version_ = objects::resource_version_of(lease_);
  seen_holder_ = options_.identity;
  seen_changed_ = house_.clock.monotonic();
  if (is_silent()) {
    lease_ = {};
    return rest();
  }
  renewed_ = sent;
  watch_over(renewed_ + options_.renew_within);
  rest();
  if (std::exchange(is_leading_, true)) return;
  sink_.on_elected();
}

// The house may be slow or stand still: the end of a lease does not wait for an answer.
void LeaderElection::watch_over(MonotonicInstant until) {
  house_.executor.post_at(until, lifeline_.guard([this] {
    if (is_leading_ && !may_act()) lose();
  }));
}

// Nobody else had the Lease perhaps; what this process sent has the time to arrive all the same,
// before it reads everything anew and decides by that.
void LeaderElection::lose() {
  is_leading_ = false;
  silent_until_ = renewed_ + options_.duration;
  lease_ = {};
  sink_.on_lost();
}

// Those who wait come at different times.
void LeaderElection::rest() {
  const auto width = static_cast<std::uint64_t>(options_.try_span.nanoseconds / 4 + 1);
  const Span more = Span::of_nanoseconds(static_cast<std::int64_t>(house_.random.below(width)));
  house_.executor.post_at(house_.clock.monotonic() + options_.try_span + more,
                          lifeline_.guard([this] { look(); }));
}

void LeaderElection::resign(Task done) {
  lifeline_.renew();
  const bool holds = std::exchange(is_leading_, false) && lease_.is_object();
  if (!holds) return done();
  Value next = held_by(options_.identity, lease_, Span::of_seconds(1), house_.clock.wall());
  next = with_spec(next, "holderIdentity", Value::string(""));
  api_.call({.verb = Verb::update,
             .resource = resources::leases,
             .name_space = options_.name_space,
             .name = options_.name,
             .body = std::move(next)},
            [done = std::move(done)](const Result<Value>&) mutable { done(); });
}

void FencedApi::call(Call call, Answer answer) {
  const bool reads = call.verb == Verb::get || call.verb == Verb::list;
  if (reads || election_.may_act()) return api_.call(std::move(call), std::move(answer));
  executor_.post([answer = std::move(answer)]() mutable {
    answer(Error{ErrorCode::unavailable, "another process leads"});
  });
}

void FencedApi::list(Call call, ListAnswer answer) {
  api_.list(std::move(call), std::move(answer));
}

std::unique_ptr<Watch> FencedApi::watch(WatchCall call, WatchSink sink) {
  return api_.watch(std::move(call), std::move(sink));
}

}  // namespace muster::client
