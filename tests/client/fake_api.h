// FakeApi: a small Kubernetes API in memory for tests of what stands on client::Api, with every
// fault at hand: refusals, answers that are lost after the write has happened, slow answers,
// watches that close, versions that expire, events told twice. It keeps versions, status
// subresources, finalizers, bindings and cascading removal; it validates nothing.
//
//   VirtualTime time;  VirtualExecutor house(time);  VirtualClock clock(time);
//   FakeApi api(house, clock);
//   api.create(resources::pods, pod);                       // at once, as somebody else
//   api.lose_answers([](const Call& call) { return call.verb == Verb::create; });
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "client/api.h"
#include "client/lifeline.h"

namespace muster::client {

class FakeApi final : public Api {
 public:
  using Matches = UniqueFunction<bool(const Call&)>;

  FakeApi(Executor& executor, const Clock& clock) : executor_(executor), clock_(clock) {}

  void call(Call call, Answer answer) override;
  std::unique_ptr<Watch> watch(WatchCall call, WatchSink sink) override;

  // What somebody else does, at once. Failures are bugs of the test.
  objects::Value create(const objects::Resource& resource, const objects::Value& object);
  objects::Value replace(const objects::Resource& resource, const objects::Value& object);
  objects::Value replace_status(const objects::Resource& resource, const objects::Value& object);
  void remove(const objects::Resource& resource, const objects::ObjectKey& key,
              std::optional<std::int64_t> grace_period_seconds = {});

  // Absent where there is none.
  objects::Value find(const objects::Resource& resource, const objects::ObjectKey& key) const;
  std::vector<objects::Value> all(const objects::Resource& resource) const;

  // Faults, until they are set anew. A refused call does not happen; the answer of a lost one is
  // `unavailable` though it has happened.
  void refuse(ErrorCode code, Matches matches);
  void lose_answers(Matches matches);
  void stop_faults();
  void set_answer_delay(Span delay) { answer_delay_ = delay; }
  void set_watch_delay(Span delay) { watch_delay_ = delay; }
  void set_events_twice(bool twice) { events_twice_ = twice; }

  void close_watches(const objects::Resource& resource, ErrorCode code);

  // A watch from before this moment is `expired`.
  void forget_history() { first_version_ = version_ + 1; }

  std::size_t calls(Verb verb, const objects::Resource& resource) const;
  std::size_t watches() const { return watches_.size(); }
  std::uint64_t version() const { return version_; }

 private:
  struct Happened {
    std::uint64_t version = 0;
    objects::Resource resource;
    WatchEvent::Type type = WatchEvent::Type::added;
    objects::Value object;
  };
  struct Watcher {
    WatchCall call;
    WatchSink sink;
    bool is_closed = false;
  };
  class Handle;
  using Table = std::map<objects::ObjectKey, objects::Value>;

  Result<objects::Value> perform(const Call& call);
  Result<objects::Value> do_list(const Call& call) const;
  Result<objects::Value> do_create(const Call& call);
  Result<objects::Value> do_update(const Call& call);
  Result<objects::Value> do_patch(const Call& call);
  Result<objects::Value> do_remove(const Call& call);
  Result<objects::Value> do_bind(const Call& call);

  objects::Value store(const objects::Resource& resource, WatchEvent::Type type,
                       const objects::Value& object);
  objects::Value erase(const objects::Resource& resource, const objects::Value& object);
  void collect_owned(std::string_view uid);
  void deliver(std::uint64_t watcher, const Happened& happened);
  Result<objects::Value> found(const Call& call) const;

  Executor& executor_;
  const Clock& clock_;
  std::map<objects::Resource, Table> tables_;
  std::vector<Happened> history_;
  std::uint64_t version_ = 0;
  std::uint64_t first_version_ = 0;
  std::uint64_t uid_next_ = 1;
  std::uint64_t watcher_next_ = 1;
  std::map<std::uint64_t, Watcher> watches_;
  std::map<std::pair<Verb, objects::Resource>, std::size_t> calls_;
  ErrorCode refusal_ = ErrorCode::conflict;
  Matches refused_;
  Matches lost_;
  Span answer_delay_ = {};
  Span watch_delay_ = {};
  bool events_twice_ = false;
  Lifeline lifeline_;
};

}  // namespace muster::client
