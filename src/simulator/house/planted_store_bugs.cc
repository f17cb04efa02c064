// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>

#include "client/lifeline.h"
#include "objects/edit.h"
#include "objects/metadata.h"
#include "simulator/house/planted_bugs.h"
#include "simulator/house/store_seams.h"

namespace muster::simulator {

using client::Call;
using client::Verb;
using objects::Value;

namespace {

Seams served_by(WatchBug bug) {
  Seams seams;
  seams.served = [bug](store::Store& store) {
    return std::make_unique<FaultyWatchStore>(store, bug);
  };
  return seams;
}

// Answers some lists with what it answered the last time (etcd 20418).
class StaleApi final : public client::Api {
 public:
  explicit StaleApi(client::Api& api) : api_(api) {}

  void call(Call call, client::Answer answer) override {
    if (call.verb != Verb::list) return api_.call(std::move(call), std::move(answer));
    const std::string kind = fmt::format("{}/{}", call.resource.group, call.resource.plural);
    api_.call(
        std::move(call),
        lifeline_.guard([this, kind, answer = std::move(answer)](Result<Value> result) mutable {
          if (!result) return answer(std::move(result));
          const auto known = last_.try_emplace(kind, *result).first;
          answer(known->second);
        }));
  }
  std::unique_ptr<client::Watch> watch(client::WatchCall call, client::WatchSink sink) override {
    return api_.watch(std::move(call), std::move(sink));
  }

 private:
  client::Api& api_;
  std::map<std::string, Value> last_;  // the first list of each kind
  client::Lifeline lifeline_;
};

// An update that comes too late is written over what others wrote meanwhile.
class LastWriterApi final : public client::Api {
 public:
  explicit LastWriterApi(client::Api& api) : api_(api) {}

  void call(Call call, client::Answer answer) override {
    if (call.verb != Verb::update) return api_.call(std::move(call), std::move(answer));
    Call again = call;
    api_.call(std::move(call),
              lifeline_.guard([this, again = std::move(again),
                               answer = std::move(answer)](Result<Value> result) mutable {
                const bool is_late = !result && result.error().code == ErrorCode::conflict;
                if (!is_late) return answer(std::move(result));
                write_over(std::move(again), std::move(answer));
              }));
  }
  std::unique_ptr<client::Watch> watch(client::WatchCall call, client::WatchSink sink) override {
    return api_.watch(std::move(call), std::move(sink));
  }

 private:
  void write_over(Call call, client::Answer answer) {
    Call get{.verb = Verb::get,
             .resource = call.resource,
             .name_space = call.name_space,
             .name = call.name};
    api_.call(
        std::move(get), lifeline_.guard([this, call = std::move(call),
                                         answer = std::move(answer)](Result<Value> newest) mutable {
          if (!newest) return answer(std::move(newest));
          const auto version = objects::resource_version_of(*newest);
          call.body =
              objects::with(call.body, {"metadata", "resourceVersion"}, Value::string(version))
                  .value_or(call.body);
          api_.call(std::move(call), std::move(answer));
        }));
  }

  client::Api& api_;
  client::Lifeline lifeline_;
};

}  // namespace

Seams forgiven_errors() {
  Seams seams;
  seams.store = [](store::Store& store) { return std::make_unique<ForgivingStore>(store); };
  return seams;
}

// Only in its second life and later ones.
Seams backward_revision() {
  Seams seams;
  seams.store = [lives = 0](store::Store& store) mutable {
    return std::make_unique<BackwardStore>(store, ++lives > 1 ? 5U : 0U);
  };
  return seams;
}

Seams lost_deletes() {
  return served_by(WatchBug::loses_deletes);
}

Seams told_twice() {
  return served_by(WatchBug::tells_twice);
}

Seams back_in_time() {
  return served_by(WatchBug::goes_back);
}

Seams stale_lists() {
  Seams seams;
  seams.server = [](client::Api& api, Executor&) { return std::make_unique<StaleApi>(api); };
  return seams;
}

Seams lost_updates() {
  Seams seams;
  seams.server = [](client::Api& api, Executor&) { return std::make_unique<LastWriterApi>(api); };
  return seams;
}

}  // namespace muster::simulator
